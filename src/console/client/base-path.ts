/**
 * The path that all addresses of the console begin with. It begins and ends with a slash. The server writes it into the
 * page.
 */
export const BASE_PATH = document.documentElement.dataset.base ?? '/'
