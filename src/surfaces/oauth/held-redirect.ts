import { OAuthError } from '../../foundation/protocol/errors.ts'

/** A refusal for a client whose redirect URI this school does not trust yet: the person decides whether to follow it. */
export class HeldRedirect extends OAuthError {
  readonly location: string

  constructor({ code, description, status, retryAfter }: OAuthError, location: string) {
    super(code, description, { status, retryAfter, redirectable: false })
    this.location = location
  }
}
