import { shortCommit } from '../../../core/format/short-commit.ts'
import { post } from '../api/request.ts'
import type { Deployed, DeploymentDetail } from '../api/types.ts'
import { ActButton, type Reason } from '../ui/act-dialog.tsx'

/** Opens the dialog for going back to an earlier commit. */
export function RollBackButton({ commit, subject, author }: Deployed) {
  const name = shortCommit(commit)
  const act = async (reason: Reason) => {
    const { skips } = await post('deployment.rollback', { commit, ...reason })
    return `${name} will be in use within seconds${skips === undefined ? '' : `; ${shortCommit(skips)} is skipped`}`
  }
  return (
    <ActButton about={`to ${name}`} title={`Go back to ${name}`} button="Roll back" danger act={act}>
      <p>
        “{subject}” by {author} is in use again within seconds, on all workers. Runs that are under way keep the commit
        that they began with.
      </p>
      <p>The newest commit of the repository is skipped. The next new commit is deployed.</p>
    </ActButton>
  )
}

/** Opens the dialog for pausing or resuming deployments. */
export function PauseDeploymentsButton({ paused }: Pick<DeploymentDetail, 'paused'>) {
  const pause = async (reason: Reason) => {
    await post('deployment.pause', reason)
    return 'Nothing is deployed until somebody resumes deployments'
  }
  const resume = async (reason: Reason) => {
    await post('deployment.resume', reason)
    return 'New commits are deployed again'
  }
  return paused === undefined ? (
    <ActButton about="deployments" title="Pause deployments" button="Pause" act={pause}>
      <p>
        New commits are not deployed until somebody resumes deployments. The commit in use stays in use, and its runs
        begin as before.
      </p>
    </ActButton>
  ) : (
    <ActButton about="deployments" title="Resume deployments" button="Resume" act={resume}>
      <p>The newest commit is deployed at the next check of the repository, if it is valid.</p>
    </ActButton>
  )
}

/** Opens the dialog for checking the repository now. */
export function LookNowButton() {
  const act = async (reason: Reason) => {
    await post('deployment.look', reason)
    return 'The repository is checked within a second'
  }
  return (
    <ActButton about="the repository" title="Check the repository now" button="Check now" act={act}>
      <p>A new commit is deployed if it is valid. A commit that was refused is checked again.</p>
    </ActButton>
  )
}
