import type { CloudConfiguration } from '../contract/index.js';
import { DocumentError } from './fetch-document.js';
import { member } from './strict-json.js';
import type { JsonObject } from './strict-json.js';
import { TOKEN_VERSIONS, versionOfIssuer } from './token-version.js';
import type { TokenVersion } from './token-version.js';

const GUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** One of the tenant's two issuers, as its discovery document describes it. */
export interface Issuer {
  /** What `iss` must be, to the letter. */
  readonly name: string;
  readonly version: TokenVersion;
  /** The tenant's id in lower case, also where the configuration names the tenant by a domain. */
  readonly tenantId: string;
  /** Where its keys are published. */
  readonly keysUrl: string;
}

/** Where the tenant's issuer of that version describes itself. */
export function discoveryUrl({ environment, tenantId }: CloudConfiguration, version: TokenVersion): string {
  return `${environment.authorityHost}/${encodeURIComponent(tenantId)}/${TOKEN_VERSIONS[version].discoveryPath}`;
}

/**
 * Reads a discovery document.
 *
 * @throws {@link DocumentError} when it does not describe the configured tenant's issuer of that version.
 */
export function readIssuer(document: JsonObject, configured: string, version: TokenVersion): Issuer {
  const name = readHttpsUrl(document, 'issuer');
  if (versionOfIssuer(name) !== version)
    throw new DocumentError(`The discovery document's issuer is not of ${version}.`);
  return { name, version, tenantId: readTenant(name, configured), keysUrl: readHttpsUrl(document, 'jwks_uri') };
}

/** A tenant configured by domain is whichever the directory says it is; one configured by id must be that one. */
function readTenant(issuer: string, configured: string): string {
  const [tenantId, ...others] = new URL(issuer).pathname
    .toLowerCase()
    .split('/')
    .filter((segment) => GUID.test(segment));
  const wanted = configured.toLowerCase();
  if (tenantId === undefined || others.length > 0 || (GUID.test(wanted) && tenantId !== wanted)) {
    throw new DocumentError("The discovery document's issuer is not that of the configured tenant.");
  }
  return tenantId;
}

function readHttpsUrl(document: JsonObject, name: string): string {
  const url = member(document, name);
  if (typeof url !== 'string' || !URL.canParse(url) || new URL(url).protocol !== 'https:') {
    throw new DocumentError(`The discovery document's ${name} must be an https URL.`);
  }
  return url;
}
