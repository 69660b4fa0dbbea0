import type { Arena, RequestBody, RequestHeaders } from './arena.js';
import { login } from './attack.js';
import type { Attack, AttackGroup } from './attack.js';
import { refusalIn } from './refusal.js';

/** What an attacker sends beside or instead of a login of `web-2` as `web`. */
interface Sent {
  readonly body: RequestBody;
  readonly headers?: RequestHeaders;
}

type LoginFields = Readonly<Record<string, unknown>>;

/** An attack by a request that is made of a login of `web-2` as `web`. */
function request(title: string, refusedBy: string, make: (body: LoginFields, arena: Arena) => Sent): Attack {
  return {
    title,
    refusedBy,
    attempt: async (arena) => {
      const { web2, web } = arena.inhabitants;
      const { body, headers } = make(await arena.loginOf({ from: web2, as: web }), arena);
      return arena.refusalOf(body, 'cloud', headers);
    },
  };
}

/** An attack by a request to an administrator's path, with the service token that a login gave. */
function overreach(title: string, path: string): Attack {
  return {
    title,
    refusedBy: 'permission denied',
    attempt: async (arena) => {
      const { web } = arena.inhabitants;
      const body = await arena.loginOf({ from: web, as: web });
      const answer = await arena.post(path, body, { 'X-Service-Token': await arena.logIn(body) });
      return answer.status === 403 ? refusalIn(answer) : undefined;
    },
  };
}

/** A17: requests that two readers might read in two ways. */
export const REQUESTS: AttackGroup = {
  id: 'A17',
  title: 'web-2 as web, by a request that could be read in two ways',
  attacks: [
    request('vm_name twice', 'token-proves-resource', (body) => ({
      body: JSON.stringify({ ...body, vm_name: 'web-2', VM_NAME: 'web' }).replace('VM_NAME', 'vm_name'),
    })),
    request('vm_name of itself beside the other, by a blank', 'token-proves-resource', (body) => ({
      body: { ...body, ' vm_name': 'web-2' },
    })),
    ...[['web'], { name: 'web' }, 1, true].map((name) =>
      request(`vm_name is ${JSON.stringify(name)}`, 'vm_name', (body) => ({ body: { ...body, vm_name: name } })),
    ),
    login('vmss_name of another beside its own vm_name', 'token-proves-resource', ({ web2, webSet }) => ({
      from: web2,
      as: webSet,
      fields: { vm_name: 'web-2' },
    })),
    request('two tokens in an array', 'jwt', (body) => ({ body: { ...body, jwt: [body['jwt'], body['jwt']] } })),
    request('a token of more than 16 KiB', 'jwt', (body) => ({
      body: { ...body, jwt: `${String(body['jwt'])}${'A'.repeat(16_384)}` },
    })),
    request('the token in a header', 'jwt', ({ jwt, ...body }) => ({
      body,
      headers: { authorization: `Bearer ${String(jwt)}` },
    })),
    request(
      "an administrator's token beside another",
      'the request carries different service tokens',
      (body, arena) => ({
        body,
        headers: { ...arena.asAdministrator(), authorization: 'Bearer s.other' },
      }),
    ),
    request('logins in an array', 'the body was refused: it is not a JSON object', (body) => ({
      body: JSON.stringify([body]),
    })),
    request('a form', 'the body was refused: it is not valid JSON in UTF-8', (body) => ({
      body: new URLSearchParams(body as Record<string, string>).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })),
    request('an address of the bound block in X-Forwarded-For', 'source-address-bound', (body) => ({
      body: { ...body, role: 'prod-of-an-office', vm_name: 'web-2' },
      headers: { 'x-forwarded-for': '192.0.2.1' },
    })),
    overreach('an explanation, asked for with the token of a login', 'auth/cloud/login/explain'),
    overreach('a role, written with the token of a login', 'auth/cloud/role/prod'),
  ],
  legitimate: { title: 'web-2 as itself logs in', pose: ({ web2 }) => ({ from: web2, as: web2 }) },
};
