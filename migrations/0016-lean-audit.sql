-- Every refresh writes an audit entry, so each of its indexes and checks is paid at every refresh.

-- Like everything else it names, the school is no foreign key; entries outlive what they tell of.
alter table audit_entries drop constraint audit_entries_school_id_fkey;

-- Lengths as types and not as checks, which PostgreSQL reads from its catalogue again at every insert.
-- Actions come from a list in the code.
alter table audit_entries
  drop constraint audit_entries_action_check,
  drop constraint audit_entries_outcome_check,
  drop constraint audit_entries_subject_check,
  drop constraint audit_entries_request_id_check,
  alter column action type varchar(100),
  alter column outcome type varchar(100),
  alter column subject type varchar(2000),
  alter column request_id type varchar(100);

-- Issued and refreshed tokens are most of all entries, and found quickly without an index of their own.
drop index audit_entries_by_action;
create index audit_entries_by_action on audit_entries (school_id, action, id)
  where action not in ('token.issued', 'token.refreshed');
