/** Who is signed in, how the page looks, the way out, and whether the connection stands. */
import { html } from "../vendor.js";
import { csrfToken } from "../state/connect-lines.js";
import { chooseTheme, theme } from "../state/layout.js";
import { connectivity, leave } from "../state/session.js";
import { openDialog } from "./dialog.js";
import { Icon } from "./icon.js";
import { Menu } from "./menu.js";

const { user, passwordChange, signIn, signOut, admin } = document.body.dataset;

const THEMES = [["light", "Light", "sun"], ["dark", "Dark", "moon"], ["system", "As the system", "screen"]];

const CONNECTIVITY = {
  open: ["live", "Connected"],
  connecting: ["busy", "Connecting…"],
  lost: ["warn", "Reconnecting…"],
  offline: ["away", "Offline"],
};

export function Account() {
  return html`<${Menu} button=${html`<${Name} />`} class="account">
    <${Themes} />
    <button type="button" data-closes onClick=${() => openDialog("help")}>
      <${Icon} name="keyboard" />Keyboard shortcuts
    </button>
    <a href=${passwordChange}><${Icon} name="key" />Change password</a>
    ${admin && html`<a href=${admin}><${Icon} name="shield" />Administration</a>`}
    <form method="post" action=${signOut} onSubmit=${leave}>
      <input type="hidden" name="csrfmiddlewaretoken" value=${csrfToken()} />
      <input type="hidden" name="next" value=${`${signIn}?why=signed-out`} />
      <button><${Icon} name="out" />Sign out</button>
    </form>
  <//>`;
}

function Name() {
  const [lamp, words] = CONNECTIVITY[connectivity.value];
  return html`<span class="avatar" aria-hidden="true">${[...user][0].toUpperCase()}</span>
    <span class="account-name">
      <span>${user}</span>
      <span class="account-link" data-testid="connection" data-state=${connectivity.value}>
        <span class="lamp" data-state=${lamp}></span>${words}
      </span>
    </span>
    <${Icon} name="chevron" />`;
}

function Themes() {
  return html`<fieldset class="themes">
    <legend>Theme</legend>
    ${THEMES.map(([value, label, icon]) => html`<label key=${value}>
      <input type="radio" name="theme" value=${value} checked=${theme.value === value}
        onChange=${() => chooseTheme(value)} />
      <${Icon} name=${icon} />${label}
    </label>`)}
  </fieldset>`;
}
