export { LIST_ERRORS, READ_ERRORS } from '../../contract/errors.js';
