import { html } from 'lit/html.js';
import type { ConversationEvent } from '../../conversation/reduce.ts';
import type { Session } from '../../conversation/session.ts';
import { allTexts, loadCallTexts } from '../../texts/call-texts.ts';
import type { Locale } from '../../texts/texts.ts';
import { isComposing } from '../is-composing.ts';
import type { PanelContext } from '../panel-context.ts';
import { startCall, type Call, type CallOpening } from './call.ts';
import { readMessages } from './read-messages.ts';

/** A report to other tabs: whether a call is in progress in the conversation, and a change of its messages. */
export type CallReport = readonly [conversationId: string, isOnCall: boolean, change?: ConversationEvent];

/** The calls of a panel: the one in this tab, and one in another tab. */
export interface Calls {
  /** Whether no call can be started now. */
  readonly isBusy: boolean;
  readonly start: (opening: CallOpening) => void;
  /** Receives a report of another tab. */
  readonly receive: (report: CallReport) => void;
  /** Hangs up, and removes the bar. */
  readonly dismiss: () => void;
  /** Call when the conversation has changed. */
  readonly conversationChanged: () => void;
  readonly view: (locale: Locale) => unknown;
}

/** Milliseconds after which a call in another tab that does not report counts as over. */
const reportTimeout = 5000;

/** @param report sends a report to the other tabs */
export function createCalls(panel: PanelContext, report: (report: CallReport) => void): Calls {
  const { container, host } = panel;
  let call: Call | undefined;
  /** The session of the call in another tab. */
  let elsewhere: Session | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** If the focused button disappears, the focus moves to the bar, or to the button in the header. */
  const renderAndKeepFocus = (): void => {
    panel.requestRender();
    const { activeElement } = host.shadowRoot;
    if (!activeElement?.closest('[part^=call]')) return;
    requestAnimationFrame(() => {
      const find = (selector: string): HTMLElement | null => container.querySelector(selector);
      if (!activeElement.isConnected) (find('[part=call] button') ?? find('[part=call-button]'))?.focus();
      if (container.hidden) host.launcher.focus();
    });
  };
  const dismiss = (): void => {
    call?.controller.abort('over');
    call = undefined;
    container.hidden ||= !host.element.open && !host.element.inline;
    renderAndKeepFocus();
  };
  const endElsewhere = (): void => {
    clearTimeout(timer);
    if (elsewhere) void readMessages(elsewhere, endElsewhere);
    elsewhere = undefined;
    panel.requestRender();
  };

  // Escape hides the choice of devices, the next one interrupts the assistant, and the last one closes the chat.
  host.root.addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || isComposing(event)) return;
      if (call?.hideDevices() || call?.interrupt()) event.stopPropagation();
    },
    true,
  );

  return {
    get isBusy() {
      return !!elsewhere || call?.controller.signal.aborted === false;
    },
    start: (opening) => {
      if (!opening.controller.signal.aborted)
        call = startCall(panel, opening, {
          report,
          onChange: renderAndKeepFocus,
          dismiss,
        });
    },
    receive: ([, isOnCall, change]) => {
      if (!isOnCall) {
        endElsewhere();
        return;
      }
      clearTimeout(timer);
      timer = setTimeout(endElsewhere, reportTimeout);
      if (!elsewhere && panel.locale) void loadCallTexts(panel.locale).then(panel.requestRender);
      elsewhere = panel.conversation.session;
      elsewhere.apply({ type: 'call', call: endElsewhere });
      if (change) elsewhere.apply(change);
      panel.requestRender();
    },
    dismiss,
    conversationChanged: () => {
      if (call && panel.conversation.session !== call.session) dismiss();
      call?.conversationChanged();
    },
    view: (locale) => {
      const texts = allTexts(locale);
      return elsewhere ? html`<p part="call">${texts.otherTab}</p>` : call?.view(texts);
    },
  };
}
