import { html, type Html, type Part } from './html.ts';

/** A form with the field for a key, which folds once the service has accepted the key. `note` says what a key gives. */
export function keyForm(label: string, note: Part): Html {
  return html`<form class="key" id="key-form"><label for="key">${label}</label><input id="key" type="password" autocomplete="off" spellcheck="false" placeholder="API key" aria-describedby="key-note key-trouble"><button class="button quiet">Use this key</button><label class="check"><input type="checkbox" id="remember"> Remember it on this device</label>
    <button type="button" class="button quiet" id="other-key">Use another key</button>
    <p class="trouble" id="key-trouble" role="alert"></p>
    <span class="faint" id="key-note">${note} Your browser keeps it for this tab and sends it only to this service. <a href="/subscribe">Get a key</a></span></form>`;
}
