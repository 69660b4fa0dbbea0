import { AuthMethodError } from '../../contract/index.js';
import type { Auth, PathHelp, Request, Response } from '../../contract/index.js';
import type { HostAnswer, HostRequest } from './host-request.js';
import type { Mount } from './mount.js';
import type { MountTable } from './mount-table.js';
import type { Route } from './route.js';
import type { TokenAuthority } from './token-authority.js';

/** The route of a path below `auth/` that belongs to a mount. Where there is none, only administrators are told so. */
export function mountRoute(path: string, mounts: MountTable, authority: TokenAuthority): Route {
  const found = mounts.resolve(path);
  if (found === undefined) {
    return {
      access: 'admin',
      serve: () => {
        throw new AuthMethodError('not_found', 'no such path');
      },
    };
  }
  const { mount, rest } = found;
  const access = mount.isOpen(rest) ? 'open' : 'admin';
  return { access, serve: (request: HostRequest) => serve(mount, rest, request, access, authority) };
}

async function serve(
  mount: Mount,
  path: string,
  request: HostRequest,
  access: 'open' | 'admin',
  authority: TokenAuthority,
): Promise<HostAnswer | undefined> {
  const { id, operation, data, remoteAddress } = request;
  if (operation === 'help') return describe(mount.backend.help(path));
  const call: Request = {
    id,
    operation: operation === 'write' ? 'update' : operation,
    path,
    ...(operation === 'write' && data && { data }),
    ...(remoteAddress !== undefined && { remoteAddress }),
  };
  // A login creates nothing under its own path: the question would only cost time.
  const exists = operation !== 'write' || access === 'open' || (await mount.backend.existenceCheck(call)) !== false;
  const response = await mount.backend.handleRequest(exists ? call : { ...call, operation: 'create' });
  if (response === undefined || !hasAuth(response)) return response as HostAnswer | undefined;
  return authority.grantLogin(mount, response, request.path);
}

function hasAuth(response: Response): response is Response & { auth: Auth } {
  return response.auth !== undefined;
}

function describe(help: PathHelp | undefined): HostAnswer | undefined {
  if (help === undefined) return undefined;
  const fields = Object.entries(help.fields).map(([name, meaning]) => `    ${name}\n        ${meaning}`);
  const text = [help.synopsis, help.description, ...fields].join('\n\n');
  return { data: { ...help }, beside: { help: text, see_also: null } };
}
