/** What all addresses of the console begin with, such as `/tools/`. The server writes it into the page. */
export const BASE_PATH = document.documentElement.dataset.base ?? '/'
