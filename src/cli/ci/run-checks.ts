import { spawn } from 'node:child_process'
import { didYouMean } from '../../core/did-you-mean.ts'
import { EXIT_CODES, usageError } from '../../core/errors.ts'
import { count } from '../../core/format/figures.ts'

export const CHECKS = ['validate', 'test', 'simulate', 'plan'] as const
export type CiCheck = (typeof CHECKS)[number]

/** The result of a check, and whether it lets the change pass. */
export interface CiResult {
  readonly check: CiCheck
  /** `unknown`: the check could not run, for a reason outside the change. */
  readonly outcome: 'passed' | 'failed' | 'unknown'
  /** Markdown for people. If it is missing, `text` is the whole output. */
  readonly markdown?: string
  /** The other output of the check, unchanged. */
  readonly text: string
}

export interface CheckOptions {
  paths: readonly string[]
  /** The git ref of the base, if there is one. */
  base: string | undefined
  failOn: string | undefined
  junit: string | undefined
  /** The links that lead out of the branch: if there are any, only `plan` runs, which checks each link itself. */
  links: readonly string[]
  cwd: string
  env: Env
}

type Env = Readonly<Record<string, string | undefined>>

/** The checks of a comma-separated list. Throws an AudienceError of the kind `usage`. */
export function readChecks(list: string): readonly CiCheck[] {
  const names = list.split(/[\s,]+/).filter(Boolean)
  for (const name of names)
    if (!CHECKS.some((check) => check === name))
      throw usageError(
        'unknown-check',
        `no check is named ${name}`,
        didYouMean(name, CHECKS) ?? `the checks are ${CHECKS.join(', ')}`,
      )
  return CHECKS.filter((check) => names.includes(check))
}

/** Runs a check in its own process, which has no token for comments. */
export async function runCheck(check: CiCheck, options: CheckOptions): Promise<CiResult> {
  const { paths, base, failOn, junit, links, cwd, env } = options
  if (links.length > 0 && check !== 'plan') return { check, outcome: 'failed', text: linksText(links) }
  const run = (args: readonly string[], environment: Env) => runAudience(args, { cwd, env: environment })
  switch (check) {
    case 'validate': {
      const { code, out, err } = await run(['validate', '--strict', '--', ...paths], withoutSecrets(env))
      return { check, outcome: code === 0 ? 'passed' : 'failed', text: out + err }
    }
    case 'test': {
      const xml = junit === undefined ? [] : ['--junit', junit]
      const { code, out, err } = await run(['test', ...xml, '--', ...paths], withoutSecrets(env))
      // A project without tests does not fail the check, because the change did not cause that.
      const failed = code === EXIT_CODES.usage ? 'unknown' : 'failed'
      return { check, outcome: code === 0 ? 'passed' : failed, text: out + err }
    }
    case 'simulate': {
      const since = base === undefined ? [] : ['--changed-since', base]
      const problems = failOn === undefined ? [] : ['--fail-on', failOn]
      const args = ['simulate', '--format', 'markdown', ...since, ...problems, '--', ...paths]
      const { code, out, err } = await run(args, withoutSecrets(env))
      const isSimulated = code === 0 || code === EXIT_CODES.failed
      const outcome = code === 0 ? 'passed' : 'failed'
      return isSimulated && out.trim() !== ''
        ? { check, outcome, markdown: out, text: err }
        : { check, outcome, text: out + err }
    }
    case 'plan': {
      if (base === undefined) return { check, outcome: 'unknown', text: 'there is no base, so nothing was planned' }
      const args = ['plan', '--untrusted', '--base', base, '--changed-since', base, '--format', 'markdown']
      const { code, out, err } = await run(args, { ...env, AUDIENCE_COMMENT_TOKEN: undefined })
      if (code === 0) return { check, outcome: 'passed', markdown: out, text: err }
      if (code === EXIT_CODES.failed && out.trim() !== '') return { check, outcome: 'failed', markdown: out, text: err }
      // Without a token, a plan is impossible. The branch of a fork has no token.
      return { check, outcome: code === EXIT_CODES.unavailable ? 'unknown' : 'failed', text: out + err }
    }
  }
}

const SHOWN_LINKS = 10

function linksText(links: readonly string[]): string {
  const shown = links.slice(0, SHOWN_LINKS).map((link) => `${link} is a link that leads out of the branch`)
  const rest = links.length - shown.length
  const more = rest > 0 ? [`and ${count(rest, 'more link')}`] : []
  return [
    ...shown,
    ...more,
    'What to do: commit files in their place; until then, no file of the branch is read',
    '',
  ].join('\n')
}

/** Annotations on the lines of a pull request, for GitHub's log. */
export async function annotationsOf({ paths, links, cwd, env }: CheckOptions): Promise<string> {
  if (links.length > 0) return ''
  const args = ['validate', '--strict', '--format', 'github', '--', ...paths]
  return (await runAudience(args, { cwd, env: withoutSecrets(env) })).out
}

/**
 * The variables that programs need, and the variables that name the branch. A document could reveal any other variable.
 */
const HARMLESS = [
  ...['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'LANG', 'LC_ALL', 'LD_LIBRARY_PATH', 'NO_COLOR'],
  ...[
    'AUDIENCE_CONFIG',
    'AUDIENCE_PROFILE',
    'GITHUB_WORKSPACE',
    'GITHUB_BASE_REF',
    'CI_MERGE_REQUEST_TARGET_BRANCH_NAME',
  ],
]

function withoutSecrets(env: Env): Env {
  return Object.fromEntries(HARMLESS.map((name) => [name, env[name]]))
}

/** No report is longer than this. */
const MOST_CHARACTERS = 4_000_000

function runAudience(args: readonly string[], { cwd, env }: { cwd: string; env: Env }) {
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? '', ...args], {
    cwd,
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const texts = { out: '', err: '' }
  for (const [name, stream] of [
    ['out', child.stdout],
    ['err', child.stderr],
  ] as const)
    stream.setEncoding('utf8').on('data', (text: string) => {
      texts[name] = (texts[name] + text).slice(0, MOST_CHARACTERS)
    })
  return new Promise<{ code: number; out: string; err: string }>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? EXIT_CODES.failed, ...texts }))
  })
}
