import type { KillWorld } from './kill-world.js';

const HOUR = 3_600_000;

/** What goes on when the process is killed. */
export interface Scenario {
  readonly name: string;
  /** Before the kill is armed. */
  readonly prepare?: (world: KillWorld) => void | Promise<void>;
  /** Ends early when the process does. */
  readonly run: (world: KillWorld) => Promise<void>;
  /** Lets recovery come to an end. */
  readonly calm?: (world: KillWorld) => void;
}

export const SCENARIOS: readonly Scenario[] = [
  { name: "a rotation of the operator's secret", run: rotate },
  { name: 'a rotation of a secret of ours', prepare: rotate, run: rotate },
  {
    name: 'a directory that accepts new secrets late',
    prepare: ({ cloud }) => cloud.setPropagationDelays({ secretAcceptanceDelay: 250 }),
    run: rotate,
    calm: endDelays,
  },
  {
    name: 'a directory that shows changes late',
    prepare: async (world) => {
      await rotate(world);
      world.cloud.setPropagationDelays({ listDelay: 250, removableDelay: 250, secretAcceptanceDelay: 50 });
    },
    run: rotate,
  },
  {
    name: 'a directory that throttles',
    run: async (world) => {
      world.fail({ service: 'graph', path: /addPassword$/, times: 1, status: 429 });
      world.fail({ service: 'graph', path: /removePassword$/, times: 3, status: 429 });
      world.fail({ service: 'authority', path: /oauth2\/v2\.0\/token/, times: 1, status: 429 });
      await world.rotate();
      await rotate(world);
    },
  },
  {
    name: 'other credentials while the new secret is pending',
    prepare: neverAccepting,
    run: async (world) => {
      const other = world.plant('operator');
      await world.rotate();
      await world.server.call('POST', 'config', { client_secret: other });
      await world.idle();
    },
    calm: endDelays,
  },
  {
    name: 'other credentials while the former secret is being removed',
    prepare: rotate,
    run: async (world) => {
      const other = world.plant('operator');
      const fault = world.fail({ service: 'graph', path: /removePassword$/, status: 503 });
      await world.rotate();
      await world.idle('promoting');
      await world.server.call('POST', 'config', { client_secret: other });
      fault.remove();
      await world.idle();
    },
  },
  {
    name: 'the configuration deleted while the new secret is pending',
    prepare: neverAccepting,
    run: async (world) => {
      await world.rotate();
      await world.server.call('DELETE', 'config');
      await world.idle();
    },
    calm: endDelays,
  },
];

/** A rotation to its end. */
export async function rotate(world: KillWorld): Promise<void> {
  await world.rotate();
  await world.idle();
}

function neverAccepting({ cloud }: KillWorld): void {
  cloud.setPropagationDelays({ secretAcceptanceDelay: HOUR });
}

/** The directory is at once of one mind again. */
export function endDelays({ cloud }: KillWorld): void {
  cloud.setPropagationDelays({ secretAcceptanceDelay: 0, secretRemovalDelay: 0, listDelay: 0, removableDelay: 0 });
}
