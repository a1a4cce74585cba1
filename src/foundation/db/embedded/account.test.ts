import { describe, expect, test } from 'vitest'
import { findPasswdEntry } from './account.ts'

describe('findPasswdEntry', () => {
  test('finds uid and gid of a name', () => {
    const passwd = 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65533:nobody:/:/sbin/nologin\n'
    expect(findPasswdEntry(passwd, 'nobody')).toEqual({ uid: 65534, gid: 65533 })
  })

  test('reads the negative numbers of macOS the way its kernel does', () => {
    const passwd =
      '##\n# User Database\nnobody:*:-2:-2:Unprivileged User:/var/empty:/usr/bin/false\n'
    expect(findPasswdEntry(passwd, 'nobody')).toEqual({ uid: 4294967294, gid: 4294967294 })
  })

  test('does not mistake a prefix, a comment or a broken line for the entry', () => {
    const passwd = 'nobody2:x:1:1::/:/bin/sh\n#nobody:x:2:2::/:/bin/sh\nnobody:x::::\n'
    expect(findPasswdEntry(passwd, 'nobody')).toBeUndefined()
  })
})
