import { cachedLookups, createApplicationPasswords, createCloudLookups } from './cloud/index.js';
import type {
  Backend,
  CloudEnvironment,
  CloudLookups,
  HostServices,
  OpenApiDocument,
  PathHelp,
  Request,
  Response,
  RootConfiguration,
  RotationManager,
  SpecialPaths,
  System,
  TokenValidator,
} from './contract/index.js';
import { readEnvironmentsFile } from './environments-file.js';
import { KNOWN_ENVIRONMENTS } from './environments.js';
import { methodHelp, openApiDocument, pathHelp } from './framework/describe.js';
import type { PathDefinition } from './framework/path.js';
import { Router } from './framework/router.js';
import { createTokenValidator } from './jwt/index.js';
import { CONFIG_KEY, ConfigStore } from './paths/config-store.js';
import { configPath } from './paths/config.js';
import { DIALECTS } from './paths/dialect.js';
import type { DialectName } from './paths/dialect.js';
import { loginExplainPath } from './paths/login-explain.js';
import { loginPath } from './paths/login.js';
import { ProviderDeadline } from './paths/provider-deadline.js';
import { RoleStore } from './paths/role-store.js';
import { roleListPath, rolePath } from './paths/role.js';
import { StoredRootConfiguration } from './paths/root-configuration.js';
import { rotateRootPath } from './paths/rotate-root.js';
import { createRotationManager, ROTATION_KEYS } from './rotation/index.js';
import { createTransport, loggedTransport } from './transport/index.js';
import { VERSION } from './version.js';

/** Modules that a host may replace. Those not given are the real ones. */
export interface BackendModules {
  readonly tokenValidator?: TokenValidator;
  readonly cloudLookups?: CloudLookups;
  /** Makes the rotation manager of the mount over its stored configuration. */
  readonly rotationManager?: (root: RootConfiguration) => RotationManager;
}

/** How {@link createBackend} builds a backend. */
export interface BackendOptions {
  /** Spelling of names and reads. Default `cloud`, the spec's. */
  readonly dialect?: DialectName;
  /**
   * Clouds beside the known ones; one of a known name replaces that. Those of the file named by `CLOUD_ENVIRONMENTS_FILE` are
   * added too, and lose against these.
   */
  readonly environments?: readonly CloudEnvironment[];
  /** Environment variables. Default: those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Seconds that a login waits for the provider in all. Default 30. */
  readonly providerTimeout?: number;
  /**
   * Seconds that what the cloud said about a resource serves further logins; 0 = every login asks anew. Default 30. A machine that
   * loses an identity can log in with it for that much longer.
   */
  readonly lookupTtl?: number;
  readonly modules?: BackendModules;
}

/** Milliseconds that records stay cached on hosts that send no invalidations. */
const MAX_RECORD_AGE = 5_000;
const SYNOPSIS = 'Accepts the identity of a cloud machine as a login.';

/**
 * Makes the backend of one mount: the composition root, the only place that knows the real modules.
 *
 * Throws `not_configured` when the file named by `CLOUD_ENVIRONMENTS_FILE` cannot be used.
 */
export function createBackend(services: HostServices, options: BackendOptions = {}): Backend {
  const { storage, system, logger, clock } = services;
  const { env = process.env, providerTimeout = 30, lookupTtl = 30 } = options;
  const dialect = DIALECTS[options.dialect ?? 'cloud'];
  const environments = withKnownEnvironments([
    ...(options.environments ?? []),
    ...readEnvironmentsFile(env['CLOUD_ENVIRONMENTS_FILE']),
  ]);
  const product = [`cloud-identity-auth/${VERSION}`, system.product].filter((part) => part !== '').join(' ');
  const plainTransport = createTransport({ userAgent: product });
  const isLogged = env['AZURE_SDK_GO_LOGGING'] === 'all';
  const transport = isLogged ? loggedTransport(plainTransport, logger) : plainTransport;
  const tokenValidator = options.modules?.tokenValidator ?? createTokenValidator({ transport, clock, logger });
  const cloudLookups =
    options.modules?.cloudLookups ??
    cachedLookups(createCloudLookups({ transport, clock, logger, env, ...identityTokensOf(system) }), {
      clock,
      ttl: lookupTtl,
      timeout: providerTimeout,
    });

  const maxAge = system.sendsInvalidations ? undefined : MAX_RECORD_AGE;
  const providerDeadline = new ProviderDeadline(providerTimeout * 1000);
  const sources = { dialect, environments, env };
  const config = new ConfigStore(storage, clock, sources, maxAge);
  const roles = new RoleStore(storage, clock, system, maxAge);
  const root = new StoredRootConfiguration(config);
  const rotation =
    options.modules?.rotationManager?.(root) ??
    createRotationManager({
      storage,
      system,
      clock,
      logger,
      root,
      passwords: createApplicationPasswords({ transport, clock, logger }),
    });
  const login = { config, roles, tokenValidator, cloudLookups, logger, providerDeadline };
  const paths = [
    configPath(config, rotation),
    rotateRootPath(rotation),
    rolePath(roles, dialect),
    roleListPath(roles),
    loginPath(login),
    loginExplainPath(login),
  ];
  return new AuthMethod(paths, {
    initialize: () => rotation.recover(),
    periodic: (now) => rotation.periodic(now),
    invalidate: (key) => {
      config.invalidate(key);
      roles.invalidate(key);
    },
    close: async () => {
      await rotation.close();
      await Promise.all([tokenValidator.close(), cloudLookups.close()]);
      await transport.close();
    },
  });
}

function identityTokensOf(system: System): Pick<System, 'generateIdentityToken'> {
  return system.generateIdentityToken ? { generateIdentityToken: system.generateIdentityToken.bind(system) } : {};
}

/** The added clouds and the known ones. One of a known name takes that one's place, by whatever spelling it is asked for. */
function withKnownEnvironments(added: readonly CloudEnvironment[]): readonly CloudEnvironment[] {
  const known = new Map(KNOWN_ENVIRONMENTS.map((environment) => [environment.name, environment]));
  const complete = added.map((environment) => {
    const spellings = [...environment.aliases, ...(known.get(environment.name)?.aliases ?? [])];
    return { ...environment, aliases: [...new Set(spellings)] };
  });
  for (const { name } of added) known.delete(name);
  return [...complete, ...known.values()];
}

interface Lifecycle {
  readonly initialize: () => Promise<void>;
  readonly periodic: (now: number) => Promise<void>;
  readonly invalidate: (key: string) => void;
  readonly close: () => Promise<void>;
}

class AuthMethod implements Backend {
  readonly specialPaths: SpecialPaths;
  readonly #router: Router;
  readonly #lifecycle: Lifecycle;
  #closed: Promise<void> | undefined;

  constructor(definitions: readonly PathDefinition[], lifecycle: Lifecycle) {
    this.#router = new Router(definitions);
    this.#lifecycle = lifecycle;
    this.specialPaths = {
      unauthenticated: definitions.filter(({ unauthenticated }) => unauthenticated).map(({ pattern }) => pattern),
      sealWrapped: [CONFIG_KEY, ...ROTATION_KEYS],
    };
  }

  initialize(): Promise<void> {
    return this.#lifecycle.initialize();
  }

  async handleRequest(request: Request): Promise<Response | undefined> {
    if (request.operation === 'rollback') return undefined;
    if (request.operation !== 'help') return this.#router.serve(request);
    const help = this.help(request.path);
    return help && { data: { ...help } };
  }

  existenceCheck(request: Request): Promise<boolean | undefined> {
    return this.#router.exists(request.path);
  }

  periodic(now: number): Promise<void> {
    return this.#lifecycle.periodic(now);
  }

  invalidate(key: string): void {
    this.#lifecycle.invalidate(key);
  }

  cleanup(): Promise<void> {
    this.#closed ??= this.#lifecycle.close();
    return this.#closed;
  }

  help(path: string): PathHelp | undefined {
    if (path === '' || path === '/') return methodHelp(SYNOPSIS, this.#router.definitions);
    const match = this.#router.match(path);
    return match && pathHelp(match.definition);
  }

  openapi(): OpenApiDocument {
    const info = { title: 'Cloud Identity Auth', description: SYNOPSIS, version: VERSION };
    return openApiDocument({ ...info, license: { name: 'Apache-2.0' } }, this.#router.definitions);
  }
}
