import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { CallTexts } from '../../texts/call-texts.ts';
import { durationText, type Texts } from '../../texts/texts.ts';
import { button } from '../header.ts';
import { closeIcon, icon, stopIcon } from '../icons.ts';
import type { DeviceChoice } from './devices.ts';

/** The states of a call, each named by the key of its text. */
export type CallState = Extract<
  keyof (CallTexts & Texts),
  'connecting' | 'listening' | 'thinking' | 'speaking' | 'reconnecting' | 'over'
>;

const microphone = 'M9 7a3 3 0 0 1 6 0v5a3 3 0 0 1-6 0zM6 11a6 6 0 0 0 12 0m-6 6v3';
const microphoneIcon = icon(microphone);
const mutedIcon = icon(`${microphone}M4 4l16 16`);
const devicesIcon = icon('M5 8h14M5 16h14M15 5v6M9 13v6');
const hangUpIcon = icon('M2 15c-2-8 22-8 20 0l-5 1-2-4c-2-.7-4-.7-6 0l-2 4z');

/** The state of a call, and its buttons. */
export function callBar({
  texts,
  state,
  seconds,
  hasStopButton,
  isMuted,
  notice,
  devices,
  onStop,
  onMute,
  onDevices,
  onEnd,
}: {
  readonly texts: CallTexts & Texts;
  readonly state: CallState;
  /** Undefined before the call is connected. */
  readonly seconds: number | undefined;
  /** Whether to show the button that stops the assistant; disabled unless the assistant speaks. */
  readonly hasStopButton: boolean;
  readonly isMuted: boolean;
  readonly notice: string;
  /** Devices to choose from; empty to hide them. */
  readonly devices: readonly DeviceChoice[];
  /** Stops the assistant's speech. */
  readonly onStop: () => void;
  readonly onMute: () => void;
  readonly onDevices: () => void;
  readonly onEnd: () => void;
}): TemplateResult {
  return html`<div part="call" data-state=${state}>
    <span class="call-ring"></span>
    <p class="call-state">
      <b>${texts[isMuted && state === 'listening' ? 'muted' : state]}</b>
      ${seconds === undefined ? nothing : html`<span role="timer">${durationText(seconds)}</span>`}
      ${notice && html`<small>${notice}</small>`}
    </p>
    ${
      hasStopButton
        ? html`<button
            class="icon-button"
            part="call-stop-button"
            type="button"
            title=${texts.stop}
            aria-disabled=${state !== 'speaking'}
            @click=${onStop}
          >
            ${stopIcon}
          </button>`
        : nothing
    }
    ${button('call-mute', isMuted ? texts.unmute : texts.mute, isMuted ? mutedIcon : microphoneIcon, onMute)}
    ${button('call-devices', texts.devices, devicesIcon, onDevices, devices.length > 0)}
    ${button('call-end', texts.hangUp, hangUpIcon, onEnd)} ${devices.map((choice) => picker(choice, texts))}
  </div>`;
}

/** The bar after a call: why it has ended. */
export function endedCallBar(texts: Texts, reason: string, onDismiss: () => void): TemplateResult {
  return html`<div part="call" data-state="over">
    <p class="call-state">${reason}</p>
    ${button('call-dismiss', texts.dismiss, closeIcon, onDismiss)}
  </div>`;
}

function picker({ kind, devices, used, choose }: DeviceChoice, texts: CallTexts): unknown {
  return devices.length === 0
    ? nothing
    : html`<label class="call-devices"
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
