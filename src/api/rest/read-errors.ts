export { READ_ERRORS } from '../../contract/errors.js';
