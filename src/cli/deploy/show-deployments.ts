import { count } from '../../core/format/figures.ts'
import { shortCommit } from '../../core/format/short-commit.ts'
import { jsonLine, printable } from '../../core/printable.ts'
import { problemLine } from '../../daemon/deployment/describe-problem.ts'
import { deploymentOf } from '../../daemon/deployment/read-release.ts'
import { withReadableState } from '../../state/with-readable-state.ts'
import {
  type DeploymentItem,
  type DeploymentReport,
  deploymentList,
  deploymentReport,
} from '../../status/deployment-report.ts'
import type { JsonFlag } from '../options.ts'
import { settingsOf } from '../settings-of.ts'
import type { Terminal } from '../terminal.ts'
import { renderTable, type TableColumn, tableView } from '../views/table.ts'
import { writeTime } from '../views/write-time.ts'

const MOST_LISTED = 50

/** Prints which commit is in use, and what the newest check found. */
export async function deployStatus({ json }: JsonFlag, terminal: Terminal): Promise<number> {
  const { out, surroundings } = terminal
  const settings = settingsOf(terminal)
  deploymentOf(settings)
  const report = await withReadableState(settings, surroundings, ({ deployments }) =>
    deploymentReport(settings, deployments),
  )
  const lines = json ? [jsonLine(report)] : statusLines(report)
  for (const line of lines) out.write(`${line}\n`)
  return 0
}

function* statusLines({ state, deployed, missing, remote, paused, skipped }: DeploymentReport): Generator<string> {
  yield deployed
    ? `deployed ${commitText(deployed)}, ${count(deployed.pipelines, 'pipeline')}, since ${timeOf(deployed.at)}`
    : 'nothing is deployed yet'
  if (missing) yield* missingLines(missing)
  if (paused) {
    const who = paused.by === undefined ? '' : ` by ${printable(paused.by)}`
    const why = paused.comment === undefined ? '' : `: ${printable(paused.comment)}`
    yield `paused${who} since ${timeOf(paused.at)}${why}; \`audience deploy resume\` ends the pause`
  }
  if (!remote) {
    yield 'remote   not checked yet; audience start checks it'
    return
  }
  const kept = deployed && !missing ? `; ${shortCommit(deployed.commit)} stays in use` : ''
  const its =
    remote.commit === undefined ? '' : `${commitText({ subject: '', author: '', ...remote, commit: remote.commit })}: `
  const problems = remote.problemCount ?? 0
  if (remote.state === 'refused')
    yield `remote   ${its}refused${problems > 0 ? `, ${count(problems, 'problem')}` : ''}${kept}`
  else if (remote.state === 'current') yield `remote   ${its}${state === 'rolledBack' ? `skipped${kept}` : 'current'}`
  else yield `remote   ${remote.state} since ${timeOf(remote.since)}${kept}`
  if (remote.error) yield reasonLine(remote.error)
  for (const problem of remote.problems ?? []) yield `  ${printable(problemLine(problem))}`
  if (skipped !== undefined && state !== 'rolledBack') yield `skips    ${shortCommit(skipped)}`
}

/** The files of the commit in use are gone, perhaps because the state was restored without the folder `releases`. */
function* missingLines({ folder, code, message, hint }: NonNullable<DeploymentReport['missing']>): Generator<string> {
  yield `missing  ${printable(folder)}; until it is there again, \`audience start\` cannot load the pipelines of this commit`
  if (code === undefined || message === undefined) {
    yield '  `audience start` fetches it again at its next check: every `pipelines.git.every`, or after `audience deploy now`'
    return
  }
  yield reasonLine({ code, message, hint })
  yield '  or copy the folder from a backup, or use another commit: push one, `audience deploy resume`, or `audience deploy rollback`'
}

function reasonLine({ code, message, hint }: { code: string; message: string; hint?: string | undefined }): string {
  return `  ${printable(message)} [${code}]${hint === undefined ? '' : `; ${printable(hint)}`}`
}

const timeOf = (iso: string) => writeTime(Date.parse(iso))

function commitText({
  commit,
  subject,
  author,
}: {
  commit: string
  subject?: string | undefined
  author?: string | undefined
}): string {
  return subject ? `${shortCommit(commit)} "${printable(subject)}" (${printable(author ?? '')})` : shortCommit(commit)
}

/** Prints the deployments. */
export async function deployList({ json }: JsonFlag, terminal: Terminal): Promise<number> {
  const { out, surroundings } = terminal
  const settings = settingsOf(terminal)
  deploymentOf(settings)
  const list = await withReadableState(settings, surroundings, ({ deployments }) =>
    deploymentList(settings, deployments, MOST_LISTED),
  )
  const lines = json
    ? list.map(jsonLine)
    : list.length === 0
      ? ['nothing is deployed yet']
      : renderTable(COLUMNS, list, tableView(out))
  for (const line of lines) out.write(`${line}\n`)
  return 0
}

const COLUMNS: readonly TableColumn<DeploymentItem & { readonly kept: boolean }>[] = [
  { header: 'commit', cell: ({ commit }) => shortCommit(commit) },
  { header: 'since', cell: ({ at }) => timeOf(at) },
  { header: 'pipelines', cell: ({ pipelines }) => String(pipelines) },
  { header: 'kept', cell: ({ kept }) => (kept ? 'yes' : 'no') },
  { header: 'by', cell: whoDeployed },
  { header: 'subject', below: true, cell: ({ subject }) => subject },
]

function whoDeployed({ act, author, by = '', comment }: DeploymentItem): string {
  return act === 'rollBack' ? `${by} went back${comment === undefined ? '' : `: ${comment}`}` : author
}
