import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { audience, root } from '../support/audience.ts'
import { givePeople } from '../support/people.ts'
import { describeWithPostgres, newDatabase } from '../support/postgres.ts'
import { tempFolder } from '../support/temp-folder.ts'

/**
 * Records which optional packages are loaded. Packages whose name begins with MISSING look as if they were not
 * installed.
 */
const HOOK = `
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
registerHooks({
  resolve(specifier, context, next) {
    if (/^(pg|@dbos-inc\\/dbos-sdk)(\\/|$)/.test(specifier)) {
      appendFileSync(process.env.LOADED, specifier + '\\n')
      if (process.env.MISSING && specifier.startsWith(process.env.MISSING)) throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
    }
    return next(specifier, context)
  },
})
`

/** Runs the built command; `loaded` has the optional packages that it loaded. */
async function watched(args: readonly string[], env: Readonly<Record<string, string>> = {}, folder = tempFolder()) {
  const [hook, file] = [join(folder, 'hook.mjs'), join(folder, 'loaded')]
  writeFileSync(hook, HOOK)
  const ended = await audience(args, {
    cwd: folder,
    env: { AUDIENCE_STATE: join(folder, 'state'), ...env, LOADED: file },
    nodeArgs: ['--import', pathToFileURL(hook).href],
  })
  return { ...ended, loaded: existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [] }
}

const quickstart = join(root, 'pipelines/quickstart.yaml')
const DATABASE = { AUDIENCE_STATE: 'postgres://audience@127.0.0.1:1/audience' }

test.each([
  [['--version']],
  [['validate', quickstart]],
  [['run', quickstart, '--detach']],
  [['runs', 'list']],
  [['run', quickstart]],
])('audience %j on a folder loads neither pg nor DBOS', async (args) => {
  const folder = tempFolder()
  await givePeople(join(folder, 'state'))
  expect(await watched(args, {}, folder)).toMatchObject({ code: 0, loaded: [] })
})

test('a state in PostgreSQL loads pg, and says so where nothing answers', async () => {
  const { code, err, loaded } = await watched(['state', 'migrate'], DATABASE)
  expect({ code, loaded: loaded[0] }).toEqual({ code: 4, loaded: 'pg' })
  expect(err).toMatch(/database 127\.0\.0\.1:1\/audience cannot be reached/)
})

test('where pg is missing, the message has the command that installs it', async () => {
  const { code, err } = await watched(['state', 'migrate'], { ...DATABASE, MISSING: 'pg' })
  expect(code).toBe(1)
  expect(err).toContain('npm install pg @dbos-inc/dbos-sdk')
})

describeWithPostgres('where DBOS is missing', () => {
  test('audience run and audience start have the command that installs it, and end', async () => {
    const folder = tempFolder()
    const env = { AUDIENCE_STATE: await newDatabase(), MISSING: '@dbos-inc' }
    expect(await watched(['workers', 'share', folder], env, folder)).toMatchObject({ code: 0 })
    for (const args of [
      ['run', quickstart],
      ['start', '--port', '0', '--no-console'],
    ]) {
      const { code, err } = await watched(args, env, folder)
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('npm install pg @dbos-inc/dbos-sdk') })
    }
  })
})
