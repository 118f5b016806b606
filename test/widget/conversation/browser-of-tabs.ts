import type { TabChannel, TabMessage, TabSource } from '../../../src/widget/conversation/tabs/tab-channel.ts';
import { newKey } from '../../../src/widget/conversation/sending/new-key.ts';
import type { ChatServer } from '../../support/servers/chat-server.ts';
import { Browser, type Visit } from './visit.ts';

/** A browser with several tabs, which get each other's messages as in a real one: asynchronously and in order. */
export class BrowserOfTabs {
  readonly browser = new Browser();
  readonly #channels = new Map<string, (message: TabMessage, isSamePage: boolean) => void>();
  readonly #watchers = new Map<string, (isSamePage: boolean, value?: string | null) => void>();
  readonly #visits = new Map<string, Visit>();
  readonly #holding = new Map<string, string>();
  readonly #waiting: { tab: string; by: string; claim: () => void }[] = [];
  /** Locks are real, and named after this browser. */
  readonly #name = newKey();
  #count = 0;

  constructor() {
    const { kept } = this.browser;
    const set = kept.set.bind(kept);
    const remove = kept.delete.bind(kept);
    kept.set = (key, value) => {
      this.#tellWatchers(value);
      return set(key, value);
    };
    kept.delete = (key) => {
      this.#tellWatchers();
      return remove(key);
    };
  }

  /**
   * Opens another tab.
   *
   * @param storage that of all tabs, or one of its own as with `persist="session"`
   */
  open(server: Pick<ChatServer, 'url'>, storage = this.browser): Visit {
    const tab = `tab-${++this.#count}`;
    const visit = storage.visit(server, { tabs: this.#source(tab) });
    this.#visits.set(tab, visit);
    return visit;
  }

  /** The tab closes without notice. */
  kill(visit: Visit): void {
    visit.goAway();
    for (const [tab, one] of this.#visits) if (one === visit) this.#end(tab);
  }

  /** Notifies watching tabs of every write. */
  #tellWatchers(value?: string): void {
    for (const onWrite of this.#watchers.values()) setImmediate(onWrite, false, value);
  }

  #source(page: string): TabSource {
    return {
      tab: () => this.#holding.get(page),
      name: this.#name,
      isShared: () => true,
      hold: () => {
        if (!this.#holding.has(page)) this.#holding.set(page, `${page}, ${++this.#count}`);
      },
      release: () => {
        this.#release(page);
      },
      watch: (onWrite) => {
        this.#watchers.set(page, onWrite);
        return () => this.#watchers.delete(page);
      },
      connect: () => this.#channel(page),
    };
  }

  #channel(page: string): TabChannel {
    return {
      post: (message) => {
        for (const [other, hear] of this.#channels)
          if (other !== page)
            setImmediate(() => {
              if (this.#channels.has(other)) hear(structuredClone(message), false);
            });
      },
      listen: (hear) => this.#channels.set(page, hear),
      close: () => {
        this.#channels.delete(page);
      },
      onTabClosed: async (tab, isAsked, claim) => {
        const isHeld = [...this.#holding.values()].includes(tab);
        if (!isHeld) claim();
        else if (!isAsked) this.#waiting.push({ tab, by: page, claim });
        return Promise.resolve(!isHeld);
      },
    };
  }

  #end(page: string): void {
    this.#channels.delete(page);
    this.#watchers.delete(page);
    this.#release(page);
  }

  /** The next one in the queue gets the lock. */
  #release(page: string): void {
    const tab = this.#holding.get(page);
    this.#holding.delete(page);
    for (const waiting of this.#waiting.filter((one) => one.tab === tab && this.#channels.has(one.by)))
      setImmediate(waiting.claim);
  }
}
