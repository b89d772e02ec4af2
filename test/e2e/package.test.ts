import { execFile, execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '../support/audience.ts'
import { givePeople } from '../support/people.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('the image can be built from the files that its Dockerfile copies', () => {
  const folder = tempFolder()
  const [, build = ''] = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8').split(/^FROM /m)
  const copied = [...build.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, names = '']) => names.split(' '))
  for (const name of copied) cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const [install, made] = [...build.matchAll(/^RUN (.+)$/gm)].map(([, command = '']) => command)
  expect(install).toMatch(/^npm ci /)
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` }
  execFileSync('sh', ['-ec', String(made)], { cwd: folder, env, stdio: 'pipe' })
  expect(existsSync(join(folder, 'dist/main.js'))).toBe(true)
})

describe('the package', () => {
  const folder = tempFolder(afterAll)
  let paths: readonly string[] = []

  // npm packs the package and installs everything that it depends on, which takes 70 s while other work runs.
  beforeAll(async () => {
    // Packs the build of this checkout: another build would remove it while other tests use it.
    const packed = JSON.parse(await run('npm', ['pack', root, '--json', '--ignore-scripts'], folder)) as {
      filename: string
      files: { path: string }[]
    }[]
    paths = packed[0]?.files.map(({ path }) => path) ?? []
    writeFileSync(join(folder, 'package.json'), '{}')
    await run('npm', ['install', '--omit=dev', `./${packed[0]?.filename}`], folder)
  })

  test('holds what it needs, and nothing of its making', () => {
    expect(paths).toEqual(expect.arrayContaining(['dist/main.js', 'README.md', 'LICENSE', 'pipelines/quickstart.yaml']))
    const made = paths.filter((path) => /^(src|test|\.ci|node_modules)\//.test(path) || path.includes('generate/'))
    expect(made).toEqual([])
  })

  test('runs from an empty folder', async () => {
    const audience = (...args: string[]) =>
      run(process.execPath, [join('node_modules', 'audience-pipelines', 'dist', 'main.js'), ...args], folder)
    expect(await audience('--version')).toMatch(/^\d+\.\d+\.\d+\n$/)
    await givePeople(join(folder, '.audience'))
    const printed = await audience('run', 'node_modules/audience-pipelines/pipelines/quickstart.yaml', '--json')
    const last = printed.trim().split('\n').at(-1) ?? ''
    expect(JSON.parse(last)).toMatchObject({ event: 'run.finished', status: 'succeeded' })
  })

  // The commands that init prints, and then those of the new project's CI, with this Node.
  test('makes a project whose own checks pass', async () => {
    const shell = (command: string, cwd: string) => run('sh', ['-ec', command], cwd)
    const printed = await shell('npx --no-install audience init mine', folder)
    const [, next = ''] = /Next:\n((?: {2}.*\n)+)/.exec(printed) ?? []
    expect(next).toContain('npm install')
    const project = join(folder, 'mine')
    // npm does not unpack anything again: the project gets the packages that were installed above.
    renameSync(join(folder, 'node_modules'), join(project, 'node_modules'))
    await givePeople(join(project, '.audience'))
    expect(await shell(next, folder)).toContain('succeeded in')
    const workflow = parse(readFileSync(join(project, '.github/workflows/pipelines.yml'), 'utf8'))
    const commands = workflow.jobs.validate.steps.flatMap(({ run }: { run?: string }) => run ?? [])
    // The install above replaces `npm ci`: from a registry without the packages of other platforms, npm writes a lock
    // file that `npm ci` refuses.
    expect(commands).toEqual(['npm ci', 'npx audience ci pipelines'])
    expect(await shell(commands[1], project)).toContain('7 tests in 2 files: 7 passed, 0 failed')
    expect(JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))).toMatchObject({
      dependencies: { 'audience-pipelines': expect.stringMatching(/^file:audience-pipelines-/) },
      // Otherwise npm asks who allowed the install script that brings Node 24.
      allowScripts: { node: true },
    })
  })
})

/** Runs a program with this Node, and returns what it prints. Fails if its exit code is not 0. */
async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  const env = {
    ...process.env,
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    // npm does not request packages again if it has them in its cache.
    npm_config_prefer_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  }
  const running = promisify(execFile)(program, args, { cwd, env })
  running.child.stdin?.end()
  return (await running).stdout
}
