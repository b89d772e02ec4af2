import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../support/audience.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('the package installs and runs from an empty folder', { timeout: 180_000 }, () => {
  const folder = tempFolder()
  const npm = (...args: string[]) =>
    execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  // The build of this checkout is what is packed: building again would pull it away from the tests beside this one.
  const packed = JSON.parse(npm('pack', root, '--json', '--ignore-scripts')) as {
    filename: string
    files: { path: string }[]
  }[]
  const paths = packed[0]?.files.map(({ path }) => path) ?? []
  expect(paths).toEqual(expect.arrayContaining(['dist/main.js', 'README.md', 'LICENSE', 'pipelines/quickstart.yaml']))
  expect(paths.filter((path) => /^(src|test|\.ci|node_modules)\//.test(path) || path.includes('generate/'))).toEqual([])

  writeFileSync(join(folder, 'package.json'), '{}')
  npm('install', '--no-audit', '--no-fund', '--omit=dev', `./${packed[0]?.filename}`)
  const audience = (...args: string[]) =>
    execFileSync(process.execPath, [join('node_modules', 'audience-pipelines', 'dist', 'main.js'), ...args], {
      cwd: folder,
      encoding: 'utf8',
    })
  expect(audience('--version')).toMatch(/^\d+\.\d+\.\d+\n$/)
  const events = audience('run', 'node_modules/audience-pipelines/pipelines/quickstart.yaml', '--json')
    .trim()
    .split('\n')
  expect(JSON.parse(events.at(-1) ?? '')).toMatchObject({ event: 'run.finished', status: 'succeeded' })
})
