/** The caller did not say who it is, or what it said does not hold. The message goes to the caller and to the log: it has no part of a token. */
export class UnauthenticatedError extends Error {
  override readonly name = 'UnauthenticatedError';

  /** @param given whether there was a token at all */
  constructor(
    message: string,
    readonly given = true,
  ) {
    super(message);
  }
}

/** The identity provider's keys cannot be had just now, so nobody can say whether a token holds. */
export class IdentityProviderUnavailableError extends Error {
  override readonly name = 'IdentityProviderUnavailableError';

  constructor(cause: unknown) {
    super('The keys of the identity provider cannot be had at the moment.', { cause });
  }
}
