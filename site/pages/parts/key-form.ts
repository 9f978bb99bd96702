import { html, type Html, type Part } from './html.ts';

/**
 * A form with the field for a key. `note` says what a key gives, `keeping` where the page keeps it.
 */
export function keyForm(label: string, note: Part, button: Part = null, keeping = 'in memory'): Html {
  return html`<form class="key" id="key-form"><label for="key">${label}</label><input id="key" type="password" autocomplete="off" spellcheck="false" placeholder="API key" aria-describedby="key-note key-trouble">${button}
    <p class="trouble" id="key-trouble" role="alert"></p>
    <span class="faint" id="key-note">${note} This page keeps it ${keeping} and sends it only to this service. <a href="/subscribe">Get a key</a></span></form>`;
}
