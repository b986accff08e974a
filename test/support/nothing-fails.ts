/** For what is told of failures, where there may be none. */
export const nothingFails = (error: unknown): never => {
  throw error;
};
