/**
 * The closed set of things that can go wrong, each with the HTTP status that hosts answer with and whether its text
 * may reach a caller who has not authenticated. Hosts switch on the code, never on a message.
 */
export const ERROR_CODES = {
  /** A malformed body, or a field that is missing, of the wrong type or out of range. */
  invalid_request: { status: 400, public: true },
  /** The login names a role that does not exist. */
  unknown_role: { status: 400, public: true },
  /** The method lacks configuration that the request needs. */
  not_configured: { status: 400, public: true },
  /** The configuration asks for something that this host does not offer. */
  capability_missing: { status: 400, public: true },
  /** The identity token is not valid, or a constraint of the role is not met. */
  login_denied: { status: 403, public: true },
  /** The service token is missing, unknown, expired or not allowed to do this. */
  permission_denied: { status: 403, public: true },
  /** No such path, or nothing stored under it. */
  not_found: { status: 404, public: true },
  /** The path exists but does not take this operation. */
  unsupported_operation: { status: 405, public: true },
  /** The request body is over the host's limit. */
  body_too_large: { status: 413, public: true },
  /** The cloud could not be reached, throttled the call or did not answer in time. */
  provider_unavailable: { status: 503, public: true },
  /** The host's storage failed a read or a write. */
  storage_failed: { status: 500, public: false },
  /** A bug. */
  internal: { status: 500, public: false },
} as const satisfies Record<string, { status: number; public: boolean }>;

/** One of the closed set of error codes. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** What an {@link AuthMethodError} can carry beside its text. */
export interface ErrorDetails {
  /** The request or configuration field at fault, in its wire spelling. */
  readonly field?: string;
  /** The login rule that refused, by its name. For logs and explanations. */
  readonly rule?: string;
  /** Seconds after which a retry may succeed. */
  readonly retryAfter?: number;
  /** The underlying error. Never shown to callers. */
  readonly cause?: unknown;
}

/**
 * The one error class of this package. The message is a full sentence without secrets; whether a caller may see it is
 * decided by the code ({@link ERROR_CODES}), never by the place that throws.
 */
export class AuthMethodError extends Error {
  override readonly name = 'AuthMethodError';
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly rule: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.field = details.field;
    this.rule = details.rule;
    this.retryAfter = details.retryAfter;
  }

  /** HTTP status of {@link code}. */
  get status(): number {
    return ERROR_CODES[this.code].status;
  }
}

/** What a caller is told about an error. */
export interface PublicError {
  /** HTTP status. */
  readonly status: number;
  readonly code: ErrorCode;
  /** One sentence, safe to show to anyone. */
  readonly message: string;
  /** Seconds for the `Retry-After` header. */
  readonly retryAfter?: number;
}

/**
 * Decides what a caller sees of any thrown value. Every host answers with this; the rest of the error belongs in the log.
 */
export function toPublicError(error: unknown): PublicError {
  if (!(error instanceof AuthMethodError)) {
    return { status: 500, code: 'internal', message: 'internal error; the log has the details under this request id' };
  }
  const { status, public: visible } = ERROR_CODES[error.code];
  const message = visible ? error.message : `${error.code}; the log has the details under this request id`;
  return error.retryAfter === undefined
    ? { status, code: error.code, message }
    : { status, code: error.code, message, retryAfter: error.retryAfter };
}
