#!/usr/bin/env node
/** The command `audience`. This file decides only what must be known before anything is loaded. */

const MINIMUM_NODE = 24

const [, , ...args] = process.argv
if (Number(process.versions.node.split('.')[0]) < MINIMUM_NODE) {
  process.stderr.write(
    `audience needs Node ${MINIMUM_NODE} or newer; this is ${process.version}. \`npx audience\` uses the Node that \`npm ci\` installs in a checkout, or \`npm install node@24\` in a project.\n`,
  )
  process.exitCode = 2
} else if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  const { version } = await import('./cli/version.ts')
  process.stdout.write(`${version()}\n`)
} else {
  const { compiledCodeFolder } = await import('./platform/compiled-code-folder.ts')
  const compiled = compiledCodeFolder(process.env)
  if (compiled !== undefined) (await import('node:module')).enableCompileCache(compiled)
  const { runCommandLine } = await import('./cli/run-command-line.ts')
  process.exitCode = await runCommandLine(args)
}
