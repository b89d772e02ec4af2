/** The comments on one pull request or merge request, at GitHub or GitLab. */
export interface Comments {
  /** The maximum length of a comment, in characters. */
  readonly most: number
  /** The comments by the owner of the token, oldest first. */
  own(): Promise<readonly Comment[]>
  create(body: string): Promise<Comment>
  /** Throws a CommentError if the comment no longer exists. */
  update(id: number, body: string): Promise<void>
  remove(id: number): Promise<void>
}

export interface Comment {
  readonly id: number
  readonly body: string
}

/** The content of the comment. */
interface CommentText {
  /** Distinguishes the comments of several jobs. */
  readonly name: string
  /** A number that grows from run to run, so that an older run never overwrites the comment of a newer one. */
  readonly run: number
  readonly text: string
}

export class CommentError extends Error {
  override readonly name = 'CommentError'
  readonly status: number
  /** How long to wait before another attempt; undefined if another attempt would be useless. */
  readonly againAfterMs: number | undefined

  constructor(message: string, { status, againAfterMs }: { status: number; againAfterMs?: number | undefined }) {
    super(message)
    this.status = status
    this.againAfterMs = againAfterMs
  }
}

const ATTEMPTS = 4
const GONE = 404
export const AGAIN_AFTER_MS = 1000

/**
 * Writes the only comment with this name. It is found by its owner and by its first line, so neither somebody else's
 * comment nor text inside a comment can match. If a response is lost, the comments are read again, so nothing is
 * written twice. Throws a CommentError.
 */
export async function putComment(
  comments: Comments,
  comment: CommentText,
  sleep: (ms: number) => Promise<void>,
): Promise<'created' | 'updated' | 'newer'> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await put(comments, comment)
    } catch (error) {
      if (!(error instanceof CommentError) || error.againAfterMs === undefined || attempt === ATTEMPTS) throw error
      await sleep(error.againAfterMs * attempt)
    }
  }
}

async function put(comments: Comments, { name, run, text }: CommentText): Promise<'created' | 'updated' | 'newer'> {
  const body = `${markerOf(name)}\n<!-- run ${run} -->\n${text}`
  const [first] = await ofName(comments, name)
  if (first && runOf(first) > run) return 'newer'
  const written = first ?? (await comments.create(body))
  if (first) await unlessGone(comments.update(first.id, body))
  // Another job may have done the same at the same time. All jobs keep the oldest comment.
  const [oldest, ...others] = await ofName(comments, name)
  for (const { id } of others) await unlessGone(comments.remove(id))
  if (oldest === undefined)
    throw new CommentError('the comment was removed in the meantime', { status: GONE, againAfterMs: AGAIN_AFTER_MS })
  if (oldest.id === written.id) return first ? 'updated' : 'created'
  if (runOf(oldest) > run) return 'newer'
  await comments.update(oldest.id, body)
  return 'updated'
}

function markerOf(name: string): string {
  return `<!-- audience ci: ${name} -->`
}

async function ofName(comments: Comments, name: string): Promise<Comment[]> {
  const own = await comments.own()
  return own.filter(({ body }) => body.startsWith(`${markerOf(name)}\n`) || body.startsWith(`${markerOf(name)}\r\n`))
}

/** The run that wrote a comment; 0 if the comment does not name one. */
function runOf({ body }: Comment): number {
  return Number(/^<!--.*-->\r?\n<!-- run (\d+) -->/.exec(body)?.[1] ?? 0)
}

async function unlessGone(change: Promise<void>): Promise<void> {
  try {
    await change
  } catch (error) {
    if (!(error instanceof CommentError) || error.status !== GONE) throw error
  }
}
