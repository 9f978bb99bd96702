import { html, type Html, type Part } from './html.ts';

/**
 * A form with the field for a key. Scripts read the key from the field and store it nowhere, so the key is
 * gone with the page. `note` says what a key gives.
 */
export function keyForm(label: string, note: Part, button: Part = null): Html {
  return html`<form class="key" id="key-form"><label for="key">${label}</label><input id="key" type="password" autocomplete="off" spellcheck="false" placeholder="API key" aria-describedby="key-note key-trouble">${button}
    <p class="trouble" id="key-trouble" role="alert"></p>
    <span class="faint" id="key-note">${note} This page keeps it in memory and sends it only to this service. <a href="/subscribe">Get a key</a></span></form>`;
}
