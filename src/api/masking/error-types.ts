import { problemDetail } from '../../contract/common/part-error.js';
import { object } from '../../contract/schema.js';

const IDENTIFIER = { type: 'identifier', description: '' } as const;

/** A problem document, as far as masking is concerned: its texts may quote a value. */
export const problemShape = object('MaskedProblem', '', {
  type: IDENTIFIER,
  title: IDENTIFIER,
  status: { type: 'integer', description: '' },
  detail: { type: 'string', description: '' },
  code: IDENTIFIER,
  instance: IDENTIFIER,
  requestId: IDENTIFIER,
  errors: { type: problemDetail, list: true, description: '' },
});

/** A GraphQL response without its data. */
export const graphqlErrors = object('MaskedGraphqlErrors', '', {
  errors: {
    type: object('MaskedGraphqlError', '', {
      message: { type: 'string', description: '' },
      locations: { ...IDENTIFIER, list: true },
      path: { ...IDENTIFIER, list: true },
      extensions: { type: problemShape, description: '' },
    }),
    list: true,
    description: '',
  },
});
