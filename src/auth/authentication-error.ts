/**
 * The caller is not authenticated, or its credentials are invalid. The message is sent to the caller and logged, so it
 * contains no part of a token.
 */
export class UnauthenticatedError extends Error {
  override readonly name = 'UnauthenticatedError';

  /** @param given whether the request had a token */
  constructor(
    message: string,
    readonly given = true,
  ) {
    super(message);
  }
}

/** The identity provider's keys cannot be fetched, so tokens cannot be verified. */
export class IdentityProviderUnavailableError extends Error {
  override readonly name = 'IdentityProviderUnavailableError';

  constructor(cause: unknown) {
    super('The keys of the identity provider cannot be fetched at the moment; retry later.', { cause });
  }
}
