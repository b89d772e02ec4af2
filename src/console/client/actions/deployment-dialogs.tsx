import { shortCommit } from '../../../core/format/short-commit.ts'
import { post } from '../api/request.ts'
import type { Deployed, Deployment } from '../api/types.ts'
import { ActDialog, type Reason } from '../ui/act-dialog.tsx'
import { DialogButton } from '../ui/modal.tsx'

/** Opens the dialog for going back to an earlier commit. */
export function RollBackButton({ to, reload }: { to: Deployed; reload: () => void }) {
  return (
    <DialogButton
      text="Roll back…"
      about={`to ${shortCommit(to.commit)}`}
      dialog={() => <RollBackDialog to={to} />}
      done={reload}
    />
  )
}

/** Opens the dialog for pausing or resuming deployments. */
export function PauseDeploymentsButton({ paused, reload }: { paused: Deployment['paused']; reload: () => void }) {
  const Dialog = paused === undefined ? PauseDialog : ResumeDialog
  return (
    <DialogButton
      text={paused === undefined ? 'Pause…' : 'Resume…'}
      about="deployments"
      dialog={() => <Dialog />}
      done={reload}
    />
  )
}

/** Opens the dialog for checking the repository now. */
export function LookNowButton({ reload }: { reload: () => void }) {
  return <DialogButton text="Look now…" about="at the repository" dialog={() => <LookNowDialog />} done={reload} />
}

function RollBackDialog({ to: { commit, subject, author } }: { to: Deployed }) {
  const act = async (reason: Reason) => {
    const { skips } = await post('/deployment/rollback', { commit, ...reason })
    return `${shortCommit(commit)} is in use within seconds${skips === undefined ? '' : `; ${shortCommit(skips)} is skipped`}`
  }
  return (
    <ActDialog title={`Go back to ${shortCommit(commit)}`} button="Roll back" danger act={act}>
      <p>
        “{subject}” by {author} is in use again within seconds, on all workers. Runs that are under way keep the commit
        that they began with.
      </p>
      <p>The newest commit of the repository is skipped. The next new one is deployed.</p>
    </ActDialog>
  )
}

function PauseDialog() {
  const act = async (reason: Reason) => {
    await post('/deployment/pause', reason)
    return 'Nothing is deployed until somebody resumes deployments'
  }
  return (
    <ActDialog title="Pause deployments" button="Pause" act={act}>
      <p>
        New commits are not deployed until somebody resumes deployments. What is in use stays, and its runs begin as
        before.
      </p>
    </ActDialog>
  )
}

function ResumeDialog() {
  const act = async (reason: Reason) => {
    await post('/deployment/resume', reason)
    return 'New commits are deployed again'
  }
  return (
    <ActDialog title="Resume deployments" button="Resume" act={act}>
      <p>The newest commit is deployed with the next look at the repository, if it is valid.</p>
    </ActDialog>
  )
}

function LookNowDialog() {
  const act = async (reason: Reason) => {
    await post('/deployment/look', reason)
    return 'The repository is checked within a second'
  }
  return (
    <ActDialog title="Look at the repository now" button="Look now" act={act}>
      <p>A new commit is deployed if it is valid. One that was refused is read again.</p>
    </ActDialog>
  )
}
