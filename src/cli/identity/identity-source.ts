/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What a workload asks its metadata service for. */
export interface TokenRequest {
  /** Audience of the token. */
  readonly resource: string;
  /** Client id of a user-assigned identity. Absent: the one that the metadata service takes by itself. */
  readonly identity?: string;
}

/** Where a workload learns who it is. All its methods reject with a `CommandFailure`. */
export interface IdentitySource {
  /** Gets a new identity token. Secret. */
  token(request: TokenRequest): Promise<string>;
  /** Fields of a login (spec section 4.7) that name the machine or other resource that this is. */
  names(): Promise<Readonly<Record<string, string>>>;
}
