import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Command, CommanderError, type OutputConfiguration } from 'commander'
import { expect, test } from 'vitest'
import { makeProgram } from '../../src/cli/program.ts'
import { processTerminal, withoutSecrets } from '../../src/cli/terminal.ts'
import type { Pipeline } from '../../src/core/pipeline.ts'
import { documentAt } from '../../src/daemon/documents/document-at.ts'
import { commandHelp } from '../../src/generate/commands-page.ts'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { stepTypes } from '../../src/steps/index.ts'
import { root } from '../support/audience.ts'

/** Every page with commands or steps to copy. */
const terminal = withoutSecrets(processTerminal())
const pages = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
const textOf = (page: string) => readFileSync(join(root, page), 'utf8')
const pipelines = new Map(
  readdirSync(join(root, 'pipelines'))
    .filter((name) => name.endsWith('.yaml') && !name.endsWith('.test.yaml'))
    .map((name) => [name, load(readFileSync(join(root, 'pipelines', name), 'utf8')).pipeline as Pipeline]),
)
const steps = new Set([...pipelines.values()].flatMap((pipeline) => pipeline.steps.map(({ id }) => id)))
const names = new Set([...pipelines.values()].map(({ name }) => name))

const help = (await commandHelp((output) => program(() => true, output))).map(
  ({ name, text }) => [`${name} --help`, text] as const,
)

const typed = [...pages.map((page) => [page, shellOf(textOf(page))] as const), ...help].flatMap(([place, text]) => {
  const commands = new Set(
    text
      .replaceAll(/\\\n\s*/g, '')
      .split('\n')
      .flatMap(commandsIn),
  )
  return commands.size > 0 ? [[place, [...commands]] as const] : []
})

test.each(typed)('the real command line takes the commands of %s', async (_, commands) => {
  const wrong = []
  for (const command of commands) {
    const problem = await problemOf(wordsOf(command))
    if (problem !== undefined) wrong.push(`${command}: ${problem}`)
  }
  expect(wrong).toEqual([])
})

const shown = pages.flatMap((page) => {
  const blocks = [...textOf(page).matchAll(/```yaml\n(- id:[^`]+)```/g)].map((match) => match[1] ?? '')
  return blocks.length > 0 ? [[page, blocks] as const] : []
})

test.each(shown)('the loader takes the steps of %s', (_, blocks) => {
  const wrong = blocks.flatMap((block) => {
    const { diagnostics } = load(`version: 1\nname: p\nsteps:\n${block.replaceAll(/^/gm, '  ')}\n`)
    return diagnostics.map(({ message }) => `${block}${message}`)
  })
  expect(wrong).toEqual([])
})

function program(isNeeded: (name: string) => boolean, output: OutputConfiguration) {
  return makeProgram({ terminal, finish: () => undefined, isNeeded, output })
}

function load(text: string) {
  return loadPipeline({ text, file: join(root, 'pipelines/example.yaml'), stepTypes, readDocument: documentAt })
}

/** The commands in shell blocks. */
function shellOf(markdown: string): string {
  return [...markdown.matchAll(/```sh\n([^`]+)```/g)].map(([, block = '']) => block).join('\n')
}

/** `audience …` at the beginning of a line or after `&&`, without comments, pipes and the text after two spaces. */
function commandsIn(line: string): string[] {
  return line.split('&&').flatMap((part) => {
    const [, command] = /^\s*(?:[A-Z_]+=\S+ )*(?:npx )?(audience .+)$/.exec(part) ?? []
    const end = command?.search(/ {2,}| #| \| | > /) ?? -1
    const typed = (end === -1 ? command : command?.slice(0, end))?.trim()
    // A usage line of the help has placeholders instead of words.
    return typed === undefined || /[[<…]/.test(typed.replace(/'[^']*'|\w\[\d+\]/g, '')) ? [] : [typed]
  })
}

function wordsOf(command: string): string[] {
  return [...command.replaceAll(/\$\([^)]*\)/g, 'x').matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)]
    .slice(1)
    .map(([, a, b, c]) => a ?? b ?? c ?? '')
}

async function problemOf(words: readonly string[]): Promise<string | undefined> {
  let called: { readonly args: readonly string[]; readonly options: Record<string, unknown> } | undefined
  const main = await program((name) => name === words.find((word) => !word.startsWith('-')), {
    writeOut: () => undefined,
    writeErr: () => undefined,
  })
  const replace = (command: Command) => {
    if (command.commands.length === 0) {
      command.action(() => {
        called = { args: command.args, options: command.opts() }
      })
    }
    for (const child of command.commands) replace(child)
  }
  replace(main)
  try {
    await main.parseAsync(words, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? undefined : error.message
    throw error
  }
  return called === undefined ? 'no command' : namesProblem(words, called)
}

/** The inputs, steps and pipelines that a command names must be those of an example. */
function namesProblem(
  words: readonly string[],
  { args, options }: { readonly args: readonly string[]; readonly options: Record<string, unknown> },
): string | undefined {
  const [first] = words
  const [file = ''] = args
  const isDocument = (first === 'run' || first === 'plan' || first === 'validate') && file.endsWith('.yaml')
  const pipeline = isDocument ? pipelines.get(basename(file)) : undefined
  if (isDocument && !pipeline && !OWN_DOCUMENTS.includes(file)) return `there is no ${file}`
  if (pipeline && file.includes('/') && !existsSync(join(root, file))) return `there is no ${file}`
  for (const text of (options.input as string[] | undefined) ?? []) {
    const name = text.slice(0, text.indexOf('='))
    if (pipeline && !Object.hasOwn(pipeline.inputs, name)) return `${pipeline.name} has no input ${name}`
  }
  for (const step of [options.step, options.from].filter((value) => typeof value === 'string')) {
    const isStep = first === 'runs' || first === 'run'
    if (isStep && step !== 'STEP' && !steps.has(step.replace(/\[\d+\]$/, ''))) return `no example has a step ${step}`
  }
  const named = first === 'schedule' ? args[0] : options.pipeline
  if (
    typeof named === 'string' &&
    /^[a-z]/.test(named) &&
    !names.has(named.replace(/\/.*/, '')) &&
    !OWN_NAMES.includes(named.replace(/\/.*/, ''))
  ) {
    return `no example is named ${named}`
  }
  return undefined
}

/** Documents that a page itself writes before it runs them. */
const OWN_DOCUMENTS = ['pipelines/travel-planners.yaml']
const OWN_NAMES: readonly string[] = []
