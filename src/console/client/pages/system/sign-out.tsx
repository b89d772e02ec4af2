import { asApiError } from '../../api/api-error.ts'
import { post } from '../../api/request.ts'
import { toast } from '../../ui/toasts.tsx'

/** Ends the session of this browser. */
export function SignOut() {
  const signOut = async () => {
    try {
      await post('/logout', {})
      location.reload()
    } catch (error) {
      toast(asApiError(error).message, 'bad')
    }
  }
  return (
    <button type="button" onClick={signOut}>
      Sign out of this browser
    </button>
  )
}
