import { createBackend } from '../../src/backend.js';
import type { BackendOptions } from '../../src/backend.js';
import type {
  Auth,
  Backend,
  IdentityClaims,
  Operation,
  Response,
  RootConfiguration,
  System,
} from '../../src/contract/index.js';
import { ManualClock } from '../support/clock.js';
import { FakeCloudLookups, FakeTokenValidator } from '../support/fake-modules.js';
import { FakeRotation } from '../support/fake-rotation.js';
import { fakeSystem } from '../support/fake-system.js';
import { recordingLogger } from '../support/logger.js';
import { WatchedStorage } from '../support/watched-storage.js';

export const TENANT = '99999999-9999-9999-9999-999999999999';
export const SUBSCRIPTION = '11111111-1111-1111-1111-111111111111';
export const OBJECT = 'aaaaaaaa-0000-0000-0000-000000000001';
export const OTHER_OBJECT = 'bbbbbbbb-0000-0000-0000-000000000002';
export const APPLICATION = 'cccccccc-0000-0000-0000-000000000003';
export const CONFIG = { tenant_id: TENANT, resource: 'https://api.example/' };
export const CLAIMS: IdentityClaims = { objectId: OBJECT, groupOverage: false, expiresAt: 2_000_000_000 };

/** Resource id of anything. */
function id(type: string, name: string, group: string): string {
  return `/subscriptions/${SUBSCRIPTION}/resourceGroups/${group}/providers/${type}/${name}`;
}

/** Resource id of a virtual machine. */
export function vm(name: string, group = 'rg'): string {
  return id('Microsoft.Compute/virtualMachines', name, group);
}

/** Resource id of a scale set. */
export function scaleSet(name: string, group = 'rg'): string {
  return id('Microsoft.Compute/virtualMachineScaleSets', name, group);
}

/** Resource id of a web app. */
export function site(name: string, group = 'rg'): string {
  return id('Microsoft.Web/sites', name, group);
}

/** Resource id of a user-assigned identity. */
export function userIdentity(name: string, group = 'ids'): string {
  return id('Microsoft.ManagedIdentity/userAssignedIdentities', name, group);
}

/** A login that names a subscription and a resource group, and nothing in it. */
export const WORKLOAD_LOGIN = {
  role: 'dev',
  jwt: 'canary-jwt',
  subscription_id: SUBSCRIPTION,
  resource_group_name: 'rg',
};

/** A login that names the virtual machine `web`. */
export const MACHINE_LOGIN = { ...WORKLOAD_LOGIN, vm_name: 'web' };

/** A login that names the scale set `web`. */
export const SCALE_SET_LOGIN = { ...WORKLOAD_LOGIN, vmss_name: 'web' };

/** A login that names the web app `web`. */
export const SITE_LOGIN = { ...WORKLOAD_LOGIN, resource_id: site('web') };

interface MountOptions extends Omit<BackendOptions, 'modules'> {
  readonly system?: Partial<System>;
}

/** One backend over fake modules and a watched storage, with short ways to speak to it. */
export class Mount {
  readonly storage = new WatchedStorage();
  readonly clock = new ManualClock();
  readonly logger = recordingLogger();
  readonly validator = new FakeTokenValidator(CLAIMS);
  readonly lookups = new FakeCloudLookups();
  readonly backend: Backend;
  #rotation: FakeRotation | undefined;

  constructor({ system, ...options }: MountOptions = {}) {
    const { storage, clock, logger, validator, lookups } = this;
    const modules = {
      tokenValidator: validator,
      cloudLookups: lookups,
      rotationManager: (root: RootConfiguration) => (this.#rotation = new FakeRotation(root)),
    };
    this.backend = createBackend(
      { storage, clock, logger, system: fakeSystem(system) },
      { env: {}, modules, ...options },
    );
  }

  get rotation(): FakeRotation {
    if (this.#rotation === undefined) throw new Error('the backend made no rotation manager');
    return this.#rotation;
  }

  request(operation: Operation, path: string, data?: object, remoteAddress?: string): Promise<Response | undefined> {
    return this.backend.handleRequest({
      id: 'request-1',
      operation,
      path,
      ...(data && { data: data as Record<string, unknown> }),
      ...(remoteAddress !== undefined && { remoteAddress }),
    });
  }

  write(path: string, data: object): Promise<Response | undefined> {
    return this.request('update', path, data);
  }

  /** The data of a read; `undefined` when nothing is there. */
  async read(path: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    return (await this.request('read', path))?.data;
  }

  async login(data: object, remoteAddress?: string): Promise<Auth> {
    const answer = await this.request('update', 'login', data, remoteAddress);
    if (answer?.auth === undefined) throw new Error('a login answered without auth');
    return answer.auth;
  }

  async renew(auth: Auth): Promise<Auth> {
    const answer = await this.backend.handleRequest({ id: 'request-2', operation: 'renew', path: 'login', auth });
    if (answer?.auth === undefined) throw new Error('a renewal answered without auth');
    return answer.auth;
  }
}

/** A mount that is configured and has the role `dev` with these fields. */
export async function mountWithRole(role: object, options?: MountOptions): Promise<Mount> {
  const mount = new Mount(options);
  await mount.write('config', CONFIG);
  await mount.write('role/dev', role);
  return mount;
}
