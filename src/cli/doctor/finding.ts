export interface Finding {
  readonly check: string
  /** A note is information; nothing is broken. */
  readonly status: 'ok' | 'note' | 'broken'
  readonly message: string
  readonly remedy?: string
}

export const fine = (check: string, message: string): Finding => ({ check, status: 'ok', message })

export const note = (check: string, message: string, remedy: string): Finding => ({
  check,
  status: 'note',
  message,
  remedy,
})

export const broken = (check: string, message: string, remedy: string): Finding => ({
  check,
  status: 'broken',
  message,
  remedy,
})
