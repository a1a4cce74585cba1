-- Members and visitors read the texts of lectures, so their HTML is kept like that of the other texts.

create trigger lectures_changed_text after update of body on lectures for each row
  when (old.body is distinct from new.body) execute function forget_html();
create trigger lectures_removed_text after delete on lectures for each row execute function forget_html();
