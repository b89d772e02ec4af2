import module, { type RegisterHooksOptions } from 'node:module'

// Vitest sends its main process a message for every import, even of a loaded module, and each command imports what it
// needs. The messages are needed only to watch files. Without them, tests of commands take 4 % less processor time.
// Vitest also gives each test file a new address, so that it can load it again. By its own address, Node finds it among
// what was compiled earlier. This file is loaded before Vitest.

const register = module.registerHooks

module.registerHooks = ({ resolve, ...hooks }: RegisterHooksOptions) =>
  register({
    ...hooks,
    ...(resolve && {
      resolve: (specifier, context, nextResolve) => nextResolve(specifier.replace(/%3Fvitest=\d+$/, ''), context),
    }),
  })
