import { ADMISSION } from '../../contract/common/admission-mode.js';

export { ADMISSION };
