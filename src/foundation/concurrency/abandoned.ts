/** The work was given up because the caller who asked for it is gone. */
export class AbandonedError extends Error {
  override readonly name = 'AbandonedError'
}

export function abandonedBy(signal: AbortSignal | undefined): AbandonedError {
  return new AbandonedError('The caller is gone.', { cause: signal?.reason })
}
