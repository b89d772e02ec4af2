import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** The completions of bash for the last word; the runs and pipelines are made up. */
async function offered(lines: readonly (readonly string[])[]): Promise<string[][]> {
  const cwd = tempFolder()
  const { out, code } = await commandLine(['completion', 'bash'], { cwd })
  expect(code).toBe(0)
  writeFileSync(join(cwd, 'nightly.yaml'), '')
  const script = `${out}
audience() { [[ "$*" == 'completion --list run' ]] && printf 'latest\\tnewest\\nr1\\tp, failed\\n'; [[ "$*" == *pipeline ]] && echo p; }
offer() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _audience; echo "\${COMPREPLY[*]}"; }
${lines.map((words) => `offer ${words.map((word) => `'${word}'`).join(' ')}`).join('\n')}
`
  const printed = execFileSync('bash', ['-c', script], { cwd, encoding: 'utf8' })
  return printed
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ').filter(Boolean))
}

test('bash completes commands, options, their values, runs, pipelines and files', async () => {
  expect(
    await offered([
      ['audience', 'ru'],
      ['audience', 'runs', 'sh'],
      ['audience', '-p', 'production', 'runs', 'sh'],
      ['audience', 'runs', 'show', ''],
      ['audience', 'runs', 'list', '--sta'],
      ['audience', 'runs', 'list', '--status', 'wa'],
      ['audience', 'runs', 'list', '--pipeline', ''],
      ['audience', 'run', 'ni'],
      ['audience', 'run', 'nightly.yaml', '-i', 'a=b', '--det'],
      ['audience', 'run', 'nightly.yaml', '--from', 'match', '--of', 'la'],
      ['audience', 'completion', 'z'],
      ['audience', 'api', 'segments.l'],
      ['audience', 'validate', 'a.yaml', 'ni'],
    ]),
  ).toEqual([
    ['run', 'runs'],
    ['show'],
    ['show'],
    ['latest', 'r1'],
    ['--status'],
    ['waiting'],
    ['p'],
    ['nightly.yaml'],
    ['--detach'],
    ['latest'],
    ['zsh'],
    ['segments.list'],
    ['nightly.yaml'],
  ])
})

test.each(['bash', 'zsh', 'fish'])('the script of %s names every command', async (shell) => {
  const { out } = await commandLine(['completion', shell], { cwd: tempFolder() })
  for (const name of ['prune', 'backfill', 'segments.list', '--exit-status'])
    expect(out).toContain(name.replace(/^--(?=e)/, ''))
})

test('what a script asks for is listed, and nothing where there is no state', async () => {
  const cwd = tempFolder()
  const env = { AUDIENCE_STATE: join(cwd, 'state') }
  expect(await commandLine(['completion', '--list', 'pipeline'], { cwd, env })).toMatchObject({ code: 0, out: '' })
  expect(await commandLine(['completion', '--list', 'schedule'], { cwd, env })).toMatchObject({
    code: 0,
    out: '',
    err: '',
  })
  expect(await commandLine(['completion', '--list', 'run'], { cwd, env })).toMatchObject({
    out: 'latest\tthe newest run\n',
  })
  expect(await commandLine(['completion'], { cwd, env })).toMatchObject({ code: 2 })
})
