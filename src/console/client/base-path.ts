/**
 * The path that all addresses of the console begin with, such as `/tools/`. It begins and ends with a slash. The server
 * writes it into the page.
 */
export const BASE_PATH = document.documentElement.dataset.base ?? '/'
