// Enhancements of the shop's page, which works without them.

/** Opening hours in the shop's time zone: hours as decimals, by weekday from Sunday. */
const openingHours = [null, [10, 18.5], [10, 18.5], [10, 18.5], [10, 20], [10, 18.5], [10, 17]];

/** The day and the hour in Freiburg. */
function nowInFreiburg() {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Europe/Berlin',
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const parts = Object.fromEntries(format.formatToParts(new Date()).map(({ type, value }) => [type, value]));
  return {
    day: ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'].indexOf(parts['weekday'] ?? ''),
    hour: Number(parts['hour']) + Number(parts['minute']) / 60,
  };
}

function showOpeningHours() {
  const { day, hour } = nowInFreiburg();
  document.querySelector(`.hours [data-days="${String(day)}"]`)?.classList.add('today');
  const note = /** @type {HTMLElement | null} */ (document.querySelector('[data-open-now]'));
  if (!note) return;
  const [from, to] = openingHours[day] ?? [25, 25];
  const isOpen = hour >= (from ?? 25) && hour < (to ?? 25);
  note.dataset['openNow'] = isOpen ? 'yes' : 'no';
  // "Usually", since the hours of public holidays, Christmas Eve and New Year’s Eve differ.
  note.textContent = isOpen ? 'Usually open at this time' : 'Usually closed at this time';
  note.hidden = false;
}

/**
 * Lets the product buttons send their question to the assistant. They are hidden until the chat is defined.
 */
async function connectQuestions() {
  await customElements.whenDefined('voice-assistant-chat');
  for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll('.ask'))) {
    button.hidden = false;
    button.addEventListener('click', () => {
      const chat =
        /** @type {(HTMLElement & { show(): void, send(text: string): unknown }) | null} */
        (document.querySelector('voice-assistant-chat'));
      chat?.show();
      if (button.dataset['ask']) chat?.send(button.dataset['ask']);
    });
  }
}

showOpeningHours();
void connectQuestions();
