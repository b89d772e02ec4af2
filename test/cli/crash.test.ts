import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { systemSurroundings } from '../../src/app/surroundings.ts'
import { runCommandLine } from '../../src/cli/run-command-line.ts'
import { tempFolder } from '../support/temp-folder.ts'

test.each(['http://user:p4ss%2Fword-1@proxy.test:8080', 'user:p4ss%2Fword-1@proxy.test'])(
  'an error that nothing catches shows no password of the proxy %s',
  async (HTTPS_PROXY) => {
    let crash: (error: unknown) => void = () => undefined
    const err = new PassThrough()
    await runCommandLine(['runs', 'list'], {
      out: new PassThrough() as unknown as NodeJS.WriteStream,
      err: err as unknown as NodeJS.WriteStream,
      env: { HTTPS_PROXY },
      cwd: tempFolder(),
      surroundings: systemSurroundings,
      onInterrupt: () => () => undefined,
      whenUnread: () => undefined,
      onCrash(listener) {
        crash = listener
      },
    })
    crash(new Error('cannot connect with p4ss/word-1, or p4ss%2Fword-1'))
    const shown = String(err.read())
    expect(shown).toContain('cannot connect with ***, or ***')
    expect(shown).not.toMatch(/p4ss|word-1/)
  },
)
