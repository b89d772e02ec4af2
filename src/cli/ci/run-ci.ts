import { randomUUID } from 'node:crypto'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { targetBranch } from '../../config/base-config.ts'
import { type AudienceError, EXIT_CODES, usageError } from '../../core/errors.ts'
import { printable } from '../../core/printable.ts'
import { openGitRepository } from '../../platform/git-repository.ts'
import { leavesTree } from '../../policy/allowed-file.ts'
import type { Terminal } from '../terminal.ts'
import { CommentError, putComment } from './comments.ts'
import { type CiJob, jobOf } from './pull-request.ts'
import { type ChangeReport, reportMarkdown } from './report.ts'
import { annotationsOf, type CiResult, readChecks, runCheck } from './run-checks.ts'

export interface CiFlags {
  readonly checks: string
  readonly base?: string
  readonly failOn?: string
  readonly junit?: string
  readonly report?: string
  readonly comment: 'true' | 'false' | ''
  readonly commentAuthor?: string
  readonly name: string
}

/** GitHub accepts 1 MiB of summary from a step, and a character has at most 3 bytes. */
const SUMMARY_MOST = 340_000

/** Checks a change, shows what was found, and returns 1 if a check failed. */
export async function runCi(paths: readonly string[], flags: CiFlags, terminal: Terminal): Promise<number> {
  const { env, cwd } = terminal
  const token = env.AUDIENCE_COMMENT_TOKEN
  if (token) terminal.secrets.add(token)
  if (!/^[\w.-]{1,50}$/.test(flags.name)) throw badName()
  const job = jobOf(env, terminal.surroundings.clock)
  const options = {
    paths: paths.filter((path) => path !== ''),
    base: flags.base || targetBranch(env),
    cwd,
    env,
    failOn: flags.failOn || undefined,
    junit: flags.junit || undefined,
    links: await linksOut(cwd, env),
  }
  const results: CiResult[] = []
  for (const check of readChecks(flags.checks)) {
    const result = await runCheck(check, options)
    results.push(result)
    showLog(result, job, terminal)
    if (check === 'validate' && job.isGitHub && result.text.trim() !== '')
      terminal.out.write(await annotationsOf(options))
  }
  const report = { results, commit: job.commit, page: job.page }
  const text = reportMarkdown(report, SUMMARY_MOST)
  if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, `${text}\n`)
  if (flags.report) writeFileSync(resolve(cwd, flags.report), `${text}\n`)
  if (flags.comment !== 'false' && token) await comment(report, { flags, job, token, terminal })
  return results.some(({ outcome }) => outcome === 'failed') ? EXIT_CODES.failed : 0
}

/** Shows a result in the log. GitHub's runner must not treat the text of documents as commands. */
function showLog({ check, outcome, markdown, text }: CiResult, { isGitHub }: CiJob, { out }: Terminal): void {
  const stop = randomUUID()
  const lines = `${markdown ?? ''}${text}`.trimEnd().split('\n').map(printable).join('\n')
  out.write(isGitHub ? `::group::${check}: ${outcome}\n::stop-commands::${stop}\n` : `${check}: ${outcome}\n`)
  out.write(`${lines}\n`)
  if (isGitHub) out.write(`::${stop}::\n::endgroup::\n`)
}

async function comment(
  report: ChangeReport,
  { flags, job, token, terminal }: { flags: CiFlags; job: CiJob; token: string; terminal: Terminal },
): Promise<void> {
  const { out, surroundings } = terminal
  const comments = job.comments(token, flags.commentAuthor || undefined)
  if (comments === undefined) return
  const { name } = flags
  const text = reportMarkdown(report, comments.most - ROOM_FOR_MARKER)
  try {
    const done = await putComment(comments, { name, run: job.run, text }, (ms) => surroundings.clock.sleep(ms))
    out.write(`comment: ${done === 'newer' ? 'left unchanged, because a newer run wrote it' : done}\n`)
  } catch (error) {
    if (!(error instanceof CommentError)) throw error
    const why = [401, 403, 404].includes(error.status) ? 'the token is not allowed to write one' : error.message
    const said = `no comment was written: ${why}; the summary of the job has the report`
    out.write(job.isGitHub ? `::warning::${said}\n` : `warning: ${said}\n`)
  }
}

const ROOM_FOR_MARKER = 200

function badName(): AudienceError {
  return usageError(
    'bad-name',
    '--name must be at most 50 letters, digits, dots, hyphens and underscores',
    'name the job, for example --name plan',
  )
}

/**
 * The links of a branch that lead out of its working tree, or into a folder of git. A check would show lines of their
 * targets in a comment. The author of the branch could read these lines, and one of them could contain a token of the
 * machine.
 */
export async function linksOut(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const repository = await openGitRepository(folder, env)
  if (!repository) return []
  const { root, git } = repository
  const listed = await git('ls-files', '--stage', '-z')
  if (listed === undefined)
    throw usageError(
      'no-git-changes',
      `git cannot list the files of ${root}`,
      'try `git ls-files --stage` in this folder',
    )
  const links = listed.split('\0').flatMap((entry) => /^120000 [^\t]+\t(.+)$/s.exec(entry)?.[1] ?? [])
  return links.filter((path) => leavesTree(join(root, path), root)).map(printable)
}
