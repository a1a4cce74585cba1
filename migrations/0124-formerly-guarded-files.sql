-- A file that a lecture or a product gives up stays closed: visitors may have its address from before.

alter table files add column was_guarded boolean not null default false;
comment on column files.was_guarded is 'a lecture or a product had it and gave it up, kept by triggers; never false again';

create function keep_file_guarded() returns trigger language plpgsql as $$
begin
  update files set was_guarded = true where school_id = old.school_id and id = old.file_id and not was_guarded;
  return null;
end $$;
comment on function keep_file_guarded() is 'Marks a file that a lecture or a product no longer has.';

create trigger lectures_file_replaced after update of file_id on lectures for each row
  when (old.file_id is distinct from new.file_id and old.file_id is not null) execute function keep_file_guarded();
create trigger lectures_file_removed after delete on lectures for each row
  when (old.file_id is not null) execute function keep_file_guarded();
create trigger digital_products_file_replaced after update of file_id on digital_products for each row
  when (old.file_id is distinct from new.file_id and old.file_id is not null) execute function keep_file_guarded();
create trigger digital_products_file_removed after delete on digital_products for each row
  when (old.file_id is not null) execute function keep_file_guarded();
