package shop.queue

import java.time.{Duration, Instant => Moment}
import scala.collection.mutable
import scala.concurrent.Future
import shop.errors.*
import shop.model.{Item, given}
import Priority._

/** How urgent a job is. */
sealed trait Priority extends Ordered[Priority] with Product {
  def weight: Int
  override def compare(that: Priority): Int = weight - that.weight
}

object Priority {
  case object Low extends Priority { val weight = 1 }
  case class High(weight: Int = 10) extends Priority
  val default: Priority = Low
  def unapply(text: String): Option[Priority] = Option(text).map(_ => Low)
}

enum Status(val code: Int) derives CanEqual {
  case Open extends Status(1)
  case Done, Failed extends Status(2)
  def isOpen: Boolean = this == Status.Open
}

type Handler[A] = A => Future[Unit]

trait Store[F[_], A <: Item] {
  type Key
  val name: String
  var hits = 0
  def find(key: Key)(implicit ec: ExecutionContext): F[Option[A]]
}

@deprecated("use Pool", "2.0")
abstract class Worker[A](val id: String, protected var store: Store[Future, A], limit: Int = 3) extends Base(id) with Closeable {
  private lazy val log: Logger = Logger(getClass)
  val (low, high) = (1, limit)

  def this(id: String) = this(id, Store.empty)

  def run(jobs: Seq[Job[A]], retries: Int*)(using clock: Clock): Future[Int] = {
    val started = clock.now
    val queue: mutable.Queue[Job[A]] = new mutable.Queue[Job[A]](jobs.size)
    var total = 0
    for {
      job <- jobs if job.ready
      Some(result) = job.start(started)
      (key, value) <- result.pairs
    } yield store.find(key).map(found => log.info(s"$key ${found.name}"))
    jobs.foreach { job => queue.enqueue(job); total += job.size }
    try Await.result(queue.head.done, Duration.ofSeconds(limit))
    catch {
      case e: TimeoutException => throw new QueueError(e.getMessage)
      case NonFatal(error) if retries.isEmpty => log.warn(error)
    }
    queue.dequeue() match {
      case Job(name, High(w)) => total + w
      case job: Job[A] => job.size
      case other @ (Low | Priority.default) => other.weight
      case _ => 0
    }
    this.close()
    Future.successful(total)
  }

  def +(other: Worker[A]): Worker[A] = other
  protected def log(text: String): Unit
}

case class Job[+A](name: String, priority: Priority = Low) {
  val size: Int = name.length
}

object Job {
  given ordering: Ordering[Job[Any]] = Ordering.by(_.name)
  implicit class Rich(job: Job[Any]) { def twice: Int = job.size * 2 }
  def apply(text: String): Job[Nothing] = new Job(text, Low)
}

extension (text: String)
  def toJob: Job[Nothing] = Job(text)

given Conversion[String, Moment] with
  def apply(text: String): Moment = Moment.parse(text)

@main def start(args: String*): Unit =
  val jobs = args.map(_.toJob)
  val worker = new Worker[Item]("main") { override def close(): Unit = () }
  if jobs.isEmpty then println("none")
  else worker.run(jobs)(using Clock.system)
