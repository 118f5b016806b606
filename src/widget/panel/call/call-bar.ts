import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { CallTexts } from '../../texts/call-texts.ts';
import type { Texts } from '../../texts/texts.ts';
import { button } from '../header.ts';
import { closeIcon, icon } from '../icons.ts';
import type { DeviceChoice } from './devices.ts';

/** `over`: the bar shows why. `elsewhere`: the call is in another tab. */
export type CallState = 'connecting' | 'listening' | 'thinking' | 'speaking' | 'lost' | 'over' | 'elsewhere';

const microphone = 'M12 4a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V7a3 3 0 0 0-3-3zM6 11a6 6 0 0 0 12 0m-6 6v3';
const microphoneIcon = icon(microphone);
const mutedIcon = icon(`${microphone}M4 4l16 16`);
const devicesIcon = icon('M5 8h7m5 0h2M5 16h2m5 0h7M14 6v4M9 14v4');
const hangUpIcon = icon('M2 15c-2-8 22-8 20 0l-5 1-2-4c-2-.7-4-.7-6 0l-2 4z');

/** The state of a call, and its buttons. */
export function callBar({
  texts,
  state,
  label,
  seconds,
  isMuted,
  notice,
  choices,
  actions,
}: {
  readonly texts: CallTexts & Pick<Texts, 'call' | 'dismiss'>;
  readonly state: CallState;
  /** The state in words. */
  readonly label: string;
  /** Undefined unless the call is connected. */
  readonly seconds?: number | undefined;
  readonly isMuted?: boolean;
  readonly notice?: string;
  /** Devices to choose from; undefined to hide them. */
  readonly choices?: readonly DeviceChoice[] | undefined;
  /** None for a call in another tab. */
  readonly actions?: {
    readonly mute: () => void;
    readonly toggleDevices: () => void;
    /** Hangs up, or removes the bar. */
    readonly end: () => void;
  };
}): TemplateResult {
  return html`<div part="call" role="group" aria-label=${texts.call} data-state=${state}>
    ${state === 'over' ? nothing : html`<span class="call-ring" aria-hidden="true"></span>`}
    <p class="call-state"><b>${label}</b>${notice && html`<small>${notice}</small>`}</p>
    ${seconds === undefined ? nothing : html`<span class="call-time" role="timer">${duration(seconds)}</span>`}
    ${
      !actions
        ? nothing
        : state === 'over'
          ? button('call-dismiss', texts.dismiss, closeIcon, actions.end)
          : [
              button(
                'call-mute',
                isMuted ? texts.unmute : texts.mute,
                isMuted ? mutedIcon : microphoneIcon,
                actions.mute,
              ),
              button('call-devices', texts.devices, devicesIcon, actions.toggleDevices, !!choices),
              button('call-end', texts.hangUp, hangUpIcon, actions.end),
            ]
    }
    ${choices && html`<div class="call-devices">${choices.map((choice) => picker(choice, texts))}</div>`}
  </div>`;
}

function picker({ kind, devices, used, choose }: DeviceChoice, texts: CallTexts): unknown {
  return devices.length === 0
    ? nothing
    : html`<label
        >${texts[kind]}
        <select
          @change=${(event: Event) => {
            const select = event.target as HTMLSelectElement;
            choose(select.value);
            // Until the device is in use.
            select.value = used ?? '';
          }}
        >
          ${devices.map(
            ({ deviceId, label }) =>
              html`<option value=${deviceId} .selected=${deviceId === used}>
                ${label || texts.standard}
              </option>`,
          )}
        </select></label
      >`;
}

/** As in `1:05`. */
function duration(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
