import { randomBytes } from 'node:crypto';
import type { Handler } from '../exchange.js';
import type { Actor } from '../identities.js';
import type { Endpoint, ListenOptions } from '../listen.js';
import { APP_SERVICE_PATH, appServiceNames, createAppService } from './app-service.js';
import { ArcKeys } from './arc-keys.js';
import { createArcMachine } from './arc-machine.js';
import type { MetadataWorld } from './identity-tokens.js';
import { createInstanceMetadata } from './instance-metadata.js';

/** How to start a metadata service. */
export interface MetadataServiceOptions extends ListenOptions {
  /** Where the agent of an Arc machine writes its key files. Default: a new temporary directory. */
  readonly keyDirectory?: string;
}

/** A metadata service that listens. Closing it removes its key files too. */
export interface MetadataService extends Endpoint {
  /**
   * Environment variables by which a workload of this kind finds it, secrets included. Machines and container groups know it by its
   * address, 169.254.169.254; what stands for that is the variable by which the SDKs are told another one.
   */
  readonly env: Readonly<Record<string, string>>;
  /** Where the key files of an Arc machine are; absent for other kinds. */
  readonly keyDirectory?: string;
}

/** A metadata service yet without an address. */
export interface MetadataProtocol {
  readonly handler: Handler;
  /** {@link MetadataService.env} for a base URL. */
  readonly env: (url: string) => Readonly<Record<string, string>>;
  /** Present for an Arc machine. */
  readonly keys?: ArcKeys;
}

/** The metadata service for resources of that type. */
export function createMetadataProtocol(
  actor: Actor,
  world: MetadataWorld,
  { keyDirectory }: MetadataServiceOptions,
): MetadataProtocol {
  switch (actor.type.toLowerCase()) {
    case 'microsoft.web/sites':
    case 'microsoft.web/sites/slots':
    case 'microsoft.app/containerapps':
      return appService(actor, world);
    case 'microsoft.hybridcompute/machines':
      return arcMachine(world, new ArcKeys(keyDirectory));
    default:
      return {
        handler: createInstanceMetadata(world),
        env: (url) => ({ AZURE_POD_IDENTITY_AUTHORITY_HOST: url }),
      };
  }
}

function appService(actor: Actor, world: MetadataWorld): MetadataProtocol {
  // The prefix makes a leaked secret recognisable in logs and answers.
  const secret = `canary-${randomBytes(16).toString('hex')}`;
  return {
    handler: createAppService(world, secret),
    env: (url) => ({
      IDENTITY_ENDPOINT: `${url}${APP_SERVICE_PATH}`,
      IDENTITY_HEADER: secret,
      ...appServiceNames(actor),
    }),
  };
}

function arcMachine(world: MetadataWorld, keys: ArcKeys): MetadataProtocol {
  return {
    handler: createArcMachine(world, keys),
    env: (url) => ({ IDENTITY_ENDPOINT: `${url}/metadata/identity/oauth2/token`, IMDS_ENDPOINT: url }),
    keys,
  };
}
