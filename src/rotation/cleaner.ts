import { AuthMethodError } from '../contract/index.js';
import type { CloudConfiguration, PasswordCredential, RootCredential, System } from '../contract/index.js';
import { GrowingDelay, NextTry } from './delays.js';
import { isSameKey } from './directory.js';
import type { Exclusive } from './exclusive.js';
import { describeFailure, isRefusal } from './failures.js';
import { cleanUpId, digestOf, isSameApplication } from './records.js';
import type { CleanUp } from './records.js';
import { storedCredential } from './stored-credential.js';
import type { RotationTools } from './tools.js';

interface Patience {
  readonly delays: GrowingDelay;
  readonly nextTry: NextTry;
}

/** What the directory shows of a credential that must go, and the configuration that it answers to. */
interface Sighting {
  readonly found: PasswordCredential | undefined;
  readonly configuration: CloudConfiguration;
}

/** Removes from the directory what abandoned rotations have added, and never the secret that the configuration holds. */
export class Cleaner {
  readonly #tools: RotationTools;
  readonly #exclusive: Exclusive;
  readonly #system: System;
  readonly #closing: AbortSignal;
  readonly #patience = new Map<string, Patience>();
  #pass: Promise<void> | undefined;
  #isAsked = false;

  constructor(tools: RotationTools, exclusive: Exclusive, system: System, closing: AbortSignal) {
    this.#tools = tools;
    this.#exclusive = exclusive;
    this.#system = system;
    this.#closing = closing;
  }

  /** Looks in the background for what is to be done now. */
  start(): void {
    this.#isAsked = true;
    this.#pass ??= this.#work().finally(() => (this.#pass = undefined));
  }

  /** Resolves when nothing runs any more. */
  async idle(): Promise<void> {
    await this.#pass;
  }

  async #work(): Promise<void> {
    while (this.#isAsked && !this.#closing.aborted) {
      this.#isAsked = false;
      try {
        if (await this.#system.isActive()) await this.#removeAll();
      } catch (error) {
        this.#tools.logger.warn('the clean-up of root rotation did not run', describeFailure(error));
      }
    }
  }

  async #removeAll(): Promise<void> {
    const { store, clock } = this.#tools;
    const ids = await store.cleanUpIds();
    for (const id of this.#patience.keys()) if (!ids.includes(id)) this.#patience.delete(id);
    for (const id of ids) {
      const { delays, nextTry } = this.#patienceFor(id);
      if (this.#closing.aborted || !nextTry.isDue(clock.now())) continue;
      nextTry.postpone(clock.now(), delays.next());
      await this.#exclusive.run(() => this.#attend(id));
    }
  }

  #patienceFor(id: string): Patience {
    const known = this.#patience.get(id) ?? {
      delays: new GrowingDelay(this.#tools.timing.cleanUp),
      nextTry: new NextTry(),
    };
    this.#patience.set(id, known);
    return known;
  }

  async #attend(id: string): Promise<void> {
    if (this.#closing.aborted) return;
    try {
      await this.#remove(id);
    } catch (error) {
      this.#tools.logger.warn('a credential that must go could not be removed yet', {
        cleanUp: id,
        ...describeFailure(error),
      });
    }
  }

  async #remove(id: string): Promise<void> {
    const { store, root, clock, logger, timing } = this.#tools;
    const cleanUp = await store.cleanUp(id);
    if (cleanUp === undefined) return;
    const { open, keyId, secretDigest } = await store.rotation();
    // Removed now, it might go on being accepted for a while, and be put to use.
    if (open !== undefined && cleanUpId(open) === id) return;
    const stored = await storedCredential(root);
    const digest = stored && digestOf(stored.clientSecret);
    const isSettled = clock.now() - cleanUp.since > timing.settling;
    if (digest !== undefined && digest === cleanUp.secretDigest) {
      // Kept for a while: what another node wrote last may not be known here yet.
      if (isSettled) await store.deleteCleanUp(id);
      return;
    }

    const isInUse = (candidate: string): boolean =>
      keyId !== undefined && isSameKey(candidate, keyId) && secretDigest === digest;
    const outcome = await this.#takeAway(cleanUp, stored, isInUse);
    // What is absent may yet come out.
    if ((outcome === 'absent' || outcome === 'in use') && !isSettled) return;
    await store.deleteCleanUp(id);
    logger.info('the clean-up after a rotation is done', { cleanUp: id, outcome });
  }

  async #takeAway(
    cleanUp: CleanUp,
    stored: RootCredential | undefined,
    isInUse: (keyId: string) => boolean,
  ): Promise<'removed' | 'absent' | 'in use' | 'expired'> {
    const { directory, clock } = this.#tools;
    try {
      const { found, configuration } = await this.#find(cleanUp, stored);
      if (found === undefined) return 'absent';
      if (isInUse(found.keyId)) return 'in use';
      return (await directory.remove(found.keyId, configuration)) ? 'removed' : 'absent';
    } catch (error) {
      // A clock that is wrong also ends connections: only a directory that answers tells that nothing is left to ask with.
      if (!isRefusal(error) || clock.now() < cleanUp.until) throw error;
      return 'expired';
    }
  }

  /** Asks with each credential that may still be good for it, the one in use first. */
  async #find(cleanUp: CleanUp, stored: RootCredential | undefined): Promise<Sighting> {
    const { root, directory } = this.#tools;
    const { credentials, target } = cleanUp;
    const isUsable = stored !== undefined && credentials.some((credential) => isSameApplication(credential, stored));
    let refusal: unknown;
    for (const credential of isUsable ? [stored, ...credentials] : credentials) {
      const configuration = await root.withCredential(credential);
      try {
        const listed = await directory.list(configuration);
        const found = listed.find(({ keyId, displayName }) =>
          'keyId' in target ? isSameKey(keyId, target.keyId) : displayName === target.attempt,
        );
        return { found, configuration };
      } catch (error) {
        if (!(error instanceof AuthMethodError) || error.code !== 'not_configured') throw error;
        refusal = error;
      }
    }
    throw refusal;
  }
}
