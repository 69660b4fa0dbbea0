import { test } from '@jest/globals';
import fc from 'fast-check';
import { unavailable } from './directory.js';
import { ORIGINAL, World } from './world.js';
import type { Process } from './world.js';

/** What may happen in the life of a mount. */
type Event =
  | { readonly kind: 'rotate' | 'kill' | 'write back' | 'delete' | 'other secret' }
  | { readonly kind: 'time'; readonly seconds: number }
  | { readonly kind: 'crash'; readonly after: number; readonly when: 'before' | 'after' }
  | { readonly kind: 'bad disk'; readonly after: number; readonly count: number; readonly when: 'before' | 'after' }
  | { readonly kind: 'outage' | 'lost answers'; readonly calls: number };

const when = fc.constantFrom('before' as const, 'after' as const);
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ kind: 'rotate' as const }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('time' as const), seconds: fc.integer({ min: 1, max: 90 }) }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'kill' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('crash' as const), after: fc.integer({ min: 1, max: 12 }), when }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('bad disk' as const),
      after: fc.integer({ min: 0, max: 10 }),
      count: fc.integer({ min: 1, max: 5 }),
      when,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('outage' as const, 'lost answers' as const),
      calls: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'write back' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'delete' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'other secret' as const }) },
);

/** Plays events, and never waits for what waits for them. */
class Play {
  node: Process;

  constructor(private readonly world: World) {
    this.node = world.start();
  }

  async happen(next: Event): Promise<void> {
    const { world, node } = this;
    switch (next.kind) {
      case 'rotate':
        void node.manager.rotate().catch(() => undefined);
        break;
      case 'time':
        await world.pass(next.seconds * 1_000);
        break;
      case 'kill':
        node.isDead = true;
        break;
      case 'crash':
        node.crash = { at: node.operations.length + next.after, when: next.when };
        break;
      case 'bad disk':
        node.failing = Array.from({ length: next.count }, (_, index) => ({
          at: node.operations.length + next.after + index,
          when: next.when,
        }));
        break;
      case 'outage':
      case 'lost answers':
        this.#trouble(next.kind === 'outage' ? 'before' : 'after', next.calls);
        break;
      case 'write back':
      case 'delete':
      case 'other secret':
        await this.#operate(next.kind);
    }
    await world.settle();
    if (node.isDead) await this.#restart();
  }

  #trouble(place: 'before' | 'after', calls: number): void {
    const { directory } = this.world;
    let left = calls;
    directory[place] = () => {
      if (left-- > 0) throw unavailable();
    };
  }

  async #operate(kind: 'write back' | 'delete' | 'other secret'): Promise<void> {
    const { world, node } = this;
    const current = await world.config();
    if (kind === 'other secret' || (kind === 'write back' && !world.directory.isLive(ORIGINAL.clientSecret))) {
      const secret = `Op${world.foreign.length % 10}~canary-operator-${world.foreign.length}`;
      world.directory.plant(secret);
      world.foreign.push(secret);
      await this.#configure(node, { ...current, credential: { ...ORIGINAL, clientSecret: secret } });
    } else if (kind === 'delete') {
      await this.#configure(node, undefined);
    } else {
      world.foreign.push(ORIGINAL.clientSecret);
      await this.#configure(node, { ...current, credential: ORIGINAL });
    }
  }

  /** Time passes until it is done: the directory may be slow to let go. */
  async #configure(...[node, config]: [Process, Parameters<Process['configure']>[0]]): Promise<void> {
    // Between two writes of the operator, what he overwrites may be the only thing that knows a secret of his.
    const change = node.configure(config).catch(() => undefined);
    await this.world.settle();
    await Promise.race([change, this.world.pass(60_000)]);
    await change;
  }

  async #restart(): Promise<void> {
    this.node = this.world.start();
    await this.node.manager.recover();
  }
}

test('whatever happens, the stored secret works and no secret is left behind', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { minLength: 3, maxLength: 14 }),
      fc.record({
        acceptDelay: fc.constantFrom(0, 3_000, 20_000),
        listDelay: fc.constantFrom(0, 2_000, 15_000),
        removeDelay: fc.constantFrom(0, 10_000),
      }),
      fc.constantFrom(undefined, 60),
      async (events, delays, period) => {
        const world = await World.create(period === undefined ? {} : { period });
        Object.assign(world.directory, delays);
        const play = new Play(world);
        await play.node.manager.recover();
        for (const next of events) await play.happen(next);

        play.node.failing = [];
        play.node.crash = undefined;
        world.directory.before = () => undefined;
        world.directory.after = () => undefined;
        await stop(world, play);
        await world.calm();
        await expectPromise(world);
        await world.end();
      },
    ),
    { numRuns: 400 },
  );
});

/** Ends automatic rotations, or there would be no calm. */
async function stop(world: World, { node }: Play): Promise<void> {
  const config = await world.config();
  if (config !== undefined) await node.root.write({ credential: config.credential });
}

/** Like {@link World.expectPromise}; secrets that operators made may or may not have been superseded. */
async function expectPromise(world: World): Promise<void> {
  const live = new Set(world.directory.live.map(({ secret }) => secret));
  const theirs = [...world.foreign, ORIGINAL.clientSecret];
  world.foreign.splice(0, Infinity, ...theirs.filter((secret) => live.has(secret)));
  await world.expectPromise();
}
