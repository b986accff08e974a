import { problemDetail } from '../../contract/common/part-error.js';
import { object } from '../../contract/schema.js';

const WORD = { type: 'word', description: '' } as const;

/** A problem document, as far as masking is concerned: its texts may quote a value. */
export const problemShape = object('MaskedProblem', '', {
  type: WORD,
  title: WORD,
  status: { type: 'integer', description: '' },
  detail: { type: 'string', description: '' },
  code: WORD,
  instance: WORD,
  requestId: WORD,
  errors: { type: problemDetail, list: true, description: '' },
});

/** A GraphQL response without its data. */
export const graphqlErrors = object('MaskedGraphqlErrors', '', {
  errors: {
    type: object('MaskedGraphqlError', '', {
      message: { type: 'string', description: '' },
      locations: { ...WORD, list: true },
      path: { ...WORD, list: true },
      extensions: { type: problemShape, description: '' },
    }),
    list: true,
    description: '',
  },
});
