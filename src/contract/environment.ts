/**
 * One cloud: where its directory, resource manager and graph answer. URLs are https, without a trailing slash.
 */
export interface CloudEnvironment {
  /** Spelling of the spec, for instance `CloudPublicCloud`. */
  readonly name: string;
  /** Other accepted spellings, for instance `AzurePublicCloud`. The first one is used in the `vault` dialect. */
  readonly aliases: readonly string[];
  /** Base URL of the directory's token and key endpoints. */
  readonly authorityHost: string;
  readonly resourceManagerEndpoint: string;
  /** Audience of tokens for the resource manager, without `/.default`. */
  readonly resourceManagerAudience: string;
  readonly graphEndpoint: string;
  /** PEM certificates to trust instead of the process's own; absent for the public trust store. */
  readonly ca?: string;
}
