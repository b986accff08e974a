/** The data folder cannot serve. The message says to the operator why, and what to do. */
export class DataFolderError extends Error {
  override readonly name: string = 'DataFolderError';
}
