import module, { type RegisterHooksOptions } from 'node:module'

// Vitest sends its main process a message for every import, even of a loaded module, and each command imports what it
// needs. The messages are needed only to watch files. Without them, tests of commands take 4 % less processor time.
// Vitest also gives each test file a new URL, so that it can load the file again. With the file's own URL, Node finds
// the code that it compiled for the file earlier. This file is loaded before Vitest.

const register = module.registerHooks

module.registerHooks = (hooks: RegisterHooksOptions) =>
  register({
    ...hooks,
    resolve: (specifier, context, nextResolve) => nextResolve(specifier.replace(/%3Fvitest=\d+$/, ''), context),
  })
