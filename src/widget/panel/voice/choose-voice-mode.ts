import type { AddOn } from '../add-on.ts';
import { offerCall } from '../call/offer-call.ts';
import type { PanelContext } from '../panel-context.ts';
import { warnOnce } from '../../warn-once.ts';

const modes = ['call', 'dictation', 'none'] as const;
type Mode = (typeof modes)[number];

/** The site's mode if it is valid, else the assistant's. The attribute without a value means dictation. */
function modeOf({ host, options }: PanelContext): Mode {
  const value = (host.element.voice as string | null)?.trim().toLowerCase();
  const mode = value === '' ? 'dictation' : modes.find((known) => known === value);
  if (value !== undefined && mode === undefined) warnOnce(`voice="${value}": use ${modes.join(' or ')}.`);
  return mode ?? (options.settings.web_calls === true ? 'call' : 'none');
}

/** Lets visitors call the assistant, or dictate and have answers read aloud; the latter also where calls cannot work. */
export function start(panel: PanelContext): AddOn {
  const call = offerCall(panel);
  let dictation: AddOn | undefined;
  const hasCalls = (): boolean => modeOf(panel) === 'call' && panel.options.settings.web_calls !== false;
  /** Dictation, if it is wanted now and has loaded. */
  const activeDictation = (): AddOn | undefined => {
    const mode = modeOf(panel);
    if (mode === 'none' || (hasCalls() && call.isPossible)) return undefined;
    if (!dictation)
      void panel.modules.load('voice').then((loaded) => {
        // Rendering calls this again, so a failure must not cause a render.
        if (!loaded) return;
        dictation ??= loaded.startDictation(panel);
        panel.requestRender();
      });
    return dictation;
  };
  return {
    update: () => {
      if (hasCalls()) call.update?.();
      else call.stop?.();
      if (!activeDictation()) dictation?.stop?.();
    },
    conversationChanged: (conversation) => {
      call.conversationChanged?.(conversation);
      dictation?.conversationChanged?.(conversation);
    },
    inHeader: () => (hasCalls() ? call.inHeader?.() : undefined),
    aboveComposer: () => (hasCalls() && call.isPossible ? call.aboveComposer?.() : undefined),
    inComposer: () => activeDictation()?.inComposer?.(),
    below: (message) => activeDictation()?.below?.(message),
    hide: () => {
      dictation?.hide?.();
      return call.hide?.();
    },
    stop: () => {
      call.stop?.();
      dictation?.stop?.();
    },
  };
}
